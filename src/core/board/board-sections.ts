/**
 * Where each task stands, as people ask it: what runs, what is next, what waits for whom. From the board and the
 * decisions, so that it says the same as `gza why`. Nothing in it depends on the clock but through those.
 */

import type { Decision } from '../policy/decide.ts';
import { complaints } from '../policy/steps-so-far.ts';
import type { Board, TaskView } from './board.ts';

export const sectionNames = [
  'person',
  'over-budget',
  'running',
  'ready',
  'limited',
  'blocked',
  'done',
] as const;
export type SectionName = (typeof sectionNames)[number];

export interface Placed {
  readonly view: TaskView;
  readonly section: SectionName;
  /** Why it stands there; may hold outside text. */
  readonly why: string;
  /** What would change it, with commands as `gza …`. */
  readonly change: string;
  readonly until?: string;
}

export interface SectionInput {
  readonly board: Board;
  readonly decisions: readonly Decision[];
}

/** Rules that say more than whether a task is blocked. */
const byRule: Readonly<Record<string, SectionName>> = {
  'live-claim': 'running',
  'dead-claim': 'running',
  'cancel-claim': 'running',
  'person-commits': 'person',
  'branch-gone': 'person',
  'changes-wait': 'person',
  'ledger-unread': 'person',
  'invalid-definition': 'person',
  'waits-for-person': 'person',
  paused: 'person',
  'too-complex': 'person',
  'dependency-cycle': 'person',
  'dependency-missing': 'person',
  assigned: 'person',
  'all-paused': 'person',
  'attempts-spent': 'person',
  'not-before': 'limited',
  'agent-limit': 'limited',
  budget: 'over-budget',
  'lane-busy': 'ready',
  overlap: 'ready',
  'workers-busy': 'ready',
};

/** Each section in its order: open tasks as decided, closed ones last closed first. */
export function boardSections(input: SectionInput): ReadonlyMap<SectionName, readonly Placed[]> {
  const sections = new Map<SectionName, Placed[]>(sectionNames.map((name) => [name, []]));
  const decided = new Set<string>();
  const place = (placed: Placed | null) => placed && sections.get(placed.section)?.push(placed);
  for (const decision of input.decisions) {
    const view = input.board.views.get(decision.task);
    if (!view || decided.has(view.id)) continue;
    decided.add(view.id);
    place(placeTask(view, decision));
  }
  for (const view of input.board.views.values()) if (!decided.has(view.id)) place(placeTask(view, undefined));
  sections.get('done')?.sort(lastClosedFirst);
  return sections;
}

/** Null for a task that is what its subtasks are: those are placed. */
export function placeTask(view: TaskView, decision: Decision | undefined): Placed | null {
  const { record } = view;
  if (view.children.length > 0 && !record?.closed_at && !record?.stop) return null;
  const at = (section: SectionName, why: string, change: string): Placed => ({ view, section, why, change });
  if (record?.closed_at) {
    const open = afterClosing(view);
    if (open) return at('person', open.why, open.change);
    return at('done', complaints(record).closed_reason ?? '', decision?.change ?? '');
  }
  if (!decision) return at(sectionOfStatus(view), '', '');
  const { because, change, action } = decision;
  if (record?.stop?.reason === 'over-budget' && decision.rule !== 'live-claim') {
    return at('over-budget', record.stop.detail, change);
  }
  // Over its budget it asks a person too, but the budget is what they look for.
  const asks = action.kind === 'ask-person' && decision.rule !== 'budget';
  const section = asks ? 'person' : (byRule[decision.rule] ?? sectionOfStatus(view, action.kind));
  const until = action.kind === 'wait' && section === 'limited' ? action.until : undefined;
  const isStopped = decision.rule === 'waits-for-person' && record?.stop !== undefined;
  const placed = at(section, isStopped ? (record?.stop?.detail ?? '') : because, change);
  return until === undefined ? placed : { ...placed, until };
}

/** It is closed, but a person has something left to say. */
function afterClosing(view: TaskView): { why: string; change: string } | null {
  const { id, record, status, awaitsApproval } = view;
  if (status === 'failed') {
    const why = record?.closed_reason ?? record?.error ?? 'it failed';
    return { why, change: `gza retry ${id}, or gza skip ${id}` };
  }
  if (record?.merged_at || record?.closed_as !== 'done') return null;
  if (view.unapproved) {
    const why = record.stop?.detail ?? `it ended ${record.final_verdict}`;
    return { why, change: `gza improve ${id}, or gza approve ${id}` };
  }
  if (!awaitsApproval) return null;
  return { why: 'it is done and waits for approval', change: `gza approve ${id}, or merge its pull request` };
}

function sectionOfStatus({ status, record }: TaskView, action?: Decision['action']['kind']): SectionName {
  if (action === 'run') return 'ready';
  if (record?.stop) return 'person';
  switch (status) {
    case 'blocked':
      return 'blocked';
    case 'pending':
      return 'ready';
    case 'in_progress':
      return 'running';
    case 'completed':
    case 'skipped':
      return 'done';
    case 'failed':
      return 'person';
  }
}

function lastClosedFirst(a: Placed, b: Placed): number {
  const [left, right] = [a.view.record?.closed_at ?? '', b.view.record?.closed_at ?? ''];
  if (left !== right) return left < right ? 1 : -1;
  return a.view.position - b.view.position;
}
