import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command, Outcome, Ports } from '../../app/command.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { findTask, type Stamp, taskOutcome, writeToTask } from '../../app/tasks/change-task.ts';
import { beforeAll, commitOf, type HeadCommit, headCommit, patchIdOf } from '../../app/tasks/settle-links.ts';
import { taskCommits, writeNotes } from '../../app/tasks/task-commits.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import { parseTime } from '../../core/time.ts';
import type { Repository } from '../../git/repository.ts';
import { spoolInstead } from '../spool-instead.ts';
import { taskText } from '../task-text.ts';

export const done: Command = {
  spec: {
    name: 'done',
    summary: 'mark a task complete; the commit made since its claim closes it, else the next one',
    arguments: [{ name: 'id', required: true, many: true, completes: 'id' }],
    options: [{ name: 'note', type: 'text', value: '<text>', help: 'append a note as well' }],
    examples: [
      { command: 'gza done task-a3f8 --note "kept the old route as an alias"', shows: 'task-a3f8: done' },
    ],
  },
  run: async (invocation, ports) => {
    const spooled = await spoolInstead('done', invocation, ports);
    if (spooled) return spooled;
    const { args, options } = invocation;
    const project = await loadProject(ports);
    const note = (options['note'] as string | undefined) || undefined;
    // Looks up all tasks before closing the first, so that a typo changes nothing.
    const found = args.map((word) => findTask(project.board, word).id);
    const outcomes: Outcome[] = [];
    for (const id of new Set(found))
      outcomes.push(await doneOne(await loadProject(ports, project), id, note, ports));
    const [first] = outcomes;
    if (outcomes.length === 1 && first) return first;
    return { json: outcomes.map(({ json }) => json), text: outcomes.map(({ text }) => text).join('\n') };
  },
};

async function doneOne(
  project: Project,
  id: string,
  note: string | undefined,
  ports: Ports,
): Promise<Outcome> {
  const found = findTask(project.board, id);
  if (found.record?.closed_as === 'done' && note === undefined) {
    return taskOutcome(project, found.id, ports, () => `${found.id}: done (already)`);
  }
  const link = await closingLink(project, found, ports);
  await writeToTask(project, found.id, ports, (record, stamp) =>
    closeEvents(found.id, record, stamp, link, note),
  );
  if (!runsIt(found.id, ports)) await releaseClaims(project, found.id, ports);
  if ('commit' in link) {
    const after = await loadProject(ports, project);
    await writeNotes(after, await taskCommits(after));
  }
  return taskOutcome(project, found.id, ports, () => `${found.id}: done`);
}

type Link = { commit: string; patch?: string } | { link_next?: string };

/** The closing commit: one that names the task, else one since its claim that belongs to no other task. */
async function closingLink(project: Project, { id, record, claim }: TaskView, ports: Ports): Promise<Link> {
  const { repository } = project;
  const head = await headCommit(repository);
  const since = claim?.at ?? record?.started_at;
  const isTheirs = (commit: HeadCommit) =>
    since !== undefined && isMadeSince(repository, commit, parseTime(since));
  const commit = head && (await commitOf(project, id, [head.id], isTheirs));
  if (commit) {
    const patch = await patchIdOf(repository, commit);
    return patch ? { commit, patch } : { commit };
  }
  // A run of this task links the commit itself after the agent has ended.
  return runsIt(id, ports) ? {} : { link_next: head?.id ?? beforeAll };
}

/** Whether this process is the agent of a run that holds the task's claim. */
function runsIt(id: string, { env }: Ports): boolean {
  return env['GZA_TASK'] === id && env['GZA_CLAIM'] !== undefined;
}

/** Commit times are in whole seconds. Within the second of the claim, the last move of HEAD decides. */
function isMadeSince({ gitDir }: Repository, head: HeadCommit, since: number): boolean {
  if (head.time !== Math.floor(since / 1000) * 1000) return head.time > since;
  const log = statSync(join(gitDir, 'logs', 'HEAD'), { throwIfNoEntry: false });
  return !log || log.mtimeMs >= since;
}

function closeEvents(
  id: string,
  record: TaskRecord | null,
  stamp: Stamp,
  link: Link,
  note: string | undefined,
): Event[] {
  const noted: Event[] = note === undefined ? [] : [{ kind: 'note', ...stamp, id, text: note }];
  if (record?.closed_as === 'done') return noted;
  return [...noted, { kind: 'close', ...stamp, id, as: 'done', ...link }];
}

/** Ends the claim of a task that is done. */
export async function releaseClaims(project: Project, id: string, ports: Ports): Promise<void> {
  if (!project.board.claims.some((claim) => claim.task === id)) return;
  await project.ledger.write(async (view) => {
    const claim = (await view.meta(view.base))?.claims?.find((one) => one.task === id);
    if (!claim) return null;
    const event: Event = { kind: 'release', at: ports.now(), claim: claim.id, why: 'done' };
    return { changes: [{ branch: view.base, events: [event] }] };
  });
}

export const note: Command = {
  spec: {
    name: 'note',
    summary: 'append a note to a task',
    arguments: [
      { name: 'id', required: true, completes: 'id' },
      { name: 'text', many: true },
    ],
    details: 'Notes are never edited. A note that begins with "blocked:" during a step ends it for a person.',
    options: [],
    examples: [
      {
        command: 'gza note task-a3f8 "blocked: no access to the staging database"',
        shows: 'task-a3f8: noted',
      },
    ],
  },
  run: async (invocation, ports) => {
    const spooled = await spoolInstead('note', invocation, ports);
    if (spooled) return spooled;
    const { args } = invocation;
    const project = await loadProject(ports);
    const { id } = findTask(project.board, args[0] as string);
    const hint = `${ports.program} note ${id} "what should be known"`;
    const text = await taskText(args.slice(1).join(' '), { ports, hint });
    await writeToTask(project, id, ports, (_record, stamp) => [{ kind: 'note', ...stamp, id, text }]);
    return taskOutcome(project, id, ports, () => `${id}: noted`);
  },
};
