/** Blocked: what must happen first, with the reason that matters most. */
import type { BlockerKind } from '../board/blockers.ts';
import type { TaskView } from '../board/board.ts';
import type { Facts, Match, Rule } from './decide.ts';
import { howToAnswer, wait } from './match.ts';
import { hasOpenChildren, isOver } from './next-step.ts';

export const blockedRules: readonly Rule[] = [
  blocker('ledger-unread', 'unread', () => 'mend that ledger; gza fsck says how'),
  blocker('invalid-definition', 'invalid', () => 'mend its definition; gza check shows where'),
  { name: 'waits-for-person', match: waitsForPerson },
  blocker('paused', 'paused', (view) => `gza resume ${view.id}`),
  blocker('too-complex', 'complex', (view) => `gza split ${view.id}, or gza approve ${view.id} as it is`),
  blocker('dependency-cycle', 'cycle', () => 'take one dependency out of the cycle'),
  blocker('dependency-missing', 'missing', () => 'file that task, or take the dependency out'),
  blocker(
    'dependency-failed',
    'failed',
    (_, id) => `gza retry ${id}, or gza skip ${id} when it was done elsewhere`,
  ),
  blocker(
    'dependency-dropped',
    'dropped',
    (_, id) => `gza reopen ${id}, or gza skip ${id} when it was done elsewhere`,
  ),
  blocker('dependency-unapproved', 'verdict', (_, id) => `gza approve ${id}, or gza improve ${id} --review`),
  blocker('approval-awaited', 'approval', (_, id) => `gza approve ${id}, or merge its pull request`),
  blocker('merge-awaited', 'merge', (_, id) => `merge the pull request of ${id}`),
  blocker('dependency-unmet', 'dependency', (_, id) => `${id} is completed`),
  { name: 'has-children', match: hasChildren },
  { name: 'assigned', match: assigned },
];

function blocker(name: string, kind: BlockerKind, change: (view: TaskView, id: string) => string): Rule {
  return {
    name,
    match: (view) => {
      const found = view.blockers.find((one) => one.kind === kind);
      return found ? wait(`blocked by ${found.text}`, change(view, found.id ?? '')) : null;
    },
  };
}

/** A stop holds until a person answers it; a command of theirs is an answer. */
function waitsForPerson(view: TaskView, facts: Facts): Match | null {
  const stop = facts.command(view) ? undefined : view.blockers.find(({ kind }) => kind === 'person');
  if (!stop) return null;
  const isAsked = view.record?.stop?.reason === 'agent-blocked';
  const others = `gza unblock ${view.id}, gza retry ${view.id} or gza skip ${view.id}`;
  return wait(`blocked by ${stop.text}`, isAsked ? howToAnswer(view.id) : others);
}

/** A parent that was worked on itself goes on when its checklist is done; another is what its children are. */
function hasChildren(view: TaskView, facts: Facts): Match | null {
  if (hasOpenChildren(view, facts)) {
    const open = view.children.filter((id) => !isOver(facts.board.views.get(id)));
    const named = open.slice(0, 3).map((id) => `#${id}`);
    const more = open.length > 3 ? ` and ${open.length - 3} more` : '';
    return wait(`it waits for its subtasks ${named.join(', ')}${more}`, 'they are completed');
  }
  if (view.children.length === 0 || view.record?.closed_at || !isOver(view)) return null;
  return { action: { kind: 'nothing' }, because: 'its subtasks are completed', change: 'a new subtask' };
}

function assigned(view: TaskView, facts: Facts): Match | null {
  const holder = view.task.assigned_agent;
  if (!holder || facts.agents.includes(holder)) return null;
  return wait(`it is assigned to ${holder}`, `${holder} does it, or gza assign ${view.id} "" frees it`);
}
