/**
 * A task as its author wrote it; task-fields.ts lists its fields. A field that was not set is absent, which
 * keeps a stored line short. Its effective value comes from the configuration (see config.ts).
 */

import { hiddenCharacter } from '../markdown/neutralise.ts';
import { groupBy, naturalCompare } from '../shape.ts';
import type { Problem } from '../yaml/problem.ts';
import {
  longFields,
  type NeededFields,
  type OwnFields,
  type priorities,
  type SettingFields,
  type taskTypes,
} from './task-fields.ts';

export { complexities, priorities, taskTypes } from './task-fields.ts';

export type TaskType = (typeof taskTypes)[number];
export type Priority = (typeof priorities)[number];

export interface TaskSettings extends SettingFields {}

export interface Task extends NeededFields, OwnFields, TaskSettings {}

export interface Milestone {
  id: string;
  name?: string;
  description?: string;
}

/** The files that a task will create or modify, as normalised paths that can be compared. */

type DeclaresFiles = Pick<Task, 'files_to_create' | 'files_to_modify'>;

/** `./a//b/../c` is `a/c`. A path that leaves the repository keeps its `..`. */
export function normalisePath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/').normalize('NFC');
}

/** Normalised, without repetitions, in the order declared. */
export function normalisePaths(paths: readonly string[] | undefined): string[] {
  if (paths === undefined || paths.length === 0) return [];
  return [...new Set(paths.map(normalisePath))].filter((path) => path !== '');
}

export function declaredFiles(task: DeclaresFiles): string[] {
  return normalisePaths([...(task.files_to_create ?? []), ...(task.files_to_modify ?? [])]);
}

/**
 * Follows `git check-ref-format --branch`, so that a bad name is refused where it is written and not later by
 * git. Also refuses names that git's own commands misread, such as a commit id or `refs/…`.
 */
export function branchNameFault(name: string, charsMax = 200): string | null {
  if (name.length === 0) return 'is empty';
  if (name.length > charsMax) return `is longer than ${charsMax} characters`;
  // git would read such a name as a commit.
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i.test(name)) return 'reads like the id of a commit';
  if (name === 'HEAD' || name === '@') return `may not be ${name}`;
  if (name.startsWith('-')) return 'begins with -';
  if (name.startsWith('refs/')) return 'begins with refs/; write the branch name alone';
  if (name.startsWith('/') || name.endsWith('/') || name.includes('//'))
    return 'has an empty part between slashes';
  if (name.endsWith('.')) return 'ends with a dot';
  if (name.includes('..')) return 'has two dots in a row';
  if (name.includes('@{')) return 'has @{';
  if (hiddenCharacter(name)) return 'has a hidden character';
  const wrong = /[\p{Cc} ~^:?*[\\]/u.exec(name);
  if (wrong) return `has ${JSON.stringify(wrong[0])}`;
  for (const part of name.split('/')) {
    if (part.startsWith('.')) return 'has a part that begins with a dot';
    if (part.endsWith('.lock')) return 'has a part that ends with .lock';
  }
  return null;
}

/**
 * A task's id appears in branch names, file names and command lines, so it may use only what is safe in all.
 */
export const taskIdPattern = /^(?![-.])(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9._-]{0,63}[A-Za-z0-9_-]$/;

/** Names that Windows reserves for devices, and `__proto__`, which is special in JavaScript. */
export function isReservedName(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)|^__proto__$/i.test(name);
}

/** Ids in a ledger may be longer: when another clone has taken an id, the new one is made longer. */
export const ledgerIdPattern = /^(?![-.])(?!.*\.\.)(?!.*\.lock$)[A-Za-z0-9._-]{0,127}[A-Za-z0-9_-]$/;

/** An allowed id made from any text (a file name, a title), or null when nothing is left of it. */
export function idFrom(text: string): string | null {
  const id = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/\.{2,}/g, '.')
    .slice(0, 64)
    .replace(/^[-.]+/, '')
    .replace(/[-.]+$/, '');
  return taskIdPattern.test(id) && !isReservedName(id) ? id : null;
}

export const titleCharactersMax = 80;
const lineBreak = /[\n\r\v\f\u0085\u2028\u2029]/;

/** The first line that is not empty, without the marks of a heading. */
export function titleOf(content: string): string {
  const lines = content.split(lineBreak).map((line) => line.replace(/^\s*#+\s+/, '').trim());
  const line = lines.find((one) => one !== '') ?? '';
  const characters = [...line];
  if (characters.length <= titleCharactersMax) return line;
  const cut = characters.slice(0, titleCharactersMax - 1).join('');
  return `${cut.trimEnd()}…`;
}

/** A task as a file in `tasks/` defines it. */
export interface FileTask {
  /** What the task or its file set; nothing from the configuration. */
  readonly task: Task;
  /** What the file's `defaults` set: a layer below the task's own values and its type's. */
  readonly defaults: TaskSettings;
  /** Path from the top folder of the repository, with `/`. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Stands for its age among file tasks: position by path, then inside the file. */
  readonly order: number;
  /** Line numbers of its fields, and of the file's defaults as `defaults.<field>`. See withoutLongFields. */
  readonly lines?: Readonly<Record<string, number>>;
}

/** Drops what scheduling does not need, because thousands of tasks are read at once. */
export function withoutLongFields({ task, lines: _lines, ...rest }: FileTask): FileTask {
  const slim = { ...task, content: '' };
  for (const name of longFields) delete slim[name];
  return { ...rest, task: slim };
}

export interface TaskFileRead {
  readonly tasks: readonly FileTask[];
  /** Milestones that are named or described in the file. */
  readonly milestones: readonly Milestone[];
  readonly problems: readonly Problem[];
}

type MemberStatus = 'pending' | 'blocked' | 'in_progress' | 'completed' | 'failed' | 'skipped';

/** Milestones order tasks. The status of a milestone is derived from its tasks. */
export interface MilestoneMember {
  readonly id: string;
  readonly milestone?: string | undefined;
  readonly status: MemberStatus;
  readonly unapproved?: true | undefined;
}

export interface TaskCounts {
  readonly total: number;
  readonly completed: number;
  /** Completed but not done: they ended without the approval that was asked for. */
  readonly unapproved: number;
  /** Including blocked tasks. */
  readonly pending: number;
  readonly in_progress: number;
  readonly failed: number;
  /** Done elsewhere or dropped, so nothing is left to do. */
  readonly skipped: number;
}

export interface MilestoneSummary extends Milestone, TaskCounts {
  readonly status: 'pending' | 'in_progress' | 'completed' | 'failed';
  readonly task_ids: readonly string[];
}

/** Milestone → its position: configured ones as written, then the others in natural order of their ids. */
export function milestoneOrder(
  configured: readonly string[],
  used: Iterable<string | undefined>,
): ReadonlyMap<string, number> {
  const known = new Set(configured);
  const others = [...new Set(used)].filter((id): id is string => id !== undefined && !known.has(id));
  return new Map([...known, ...others.sort(naturalCompare)].map((id, place) => [id, place]));
}

/** Includes configured milestones without tasks, and milestones that only a task names. */
export function deriveMilestones(
  members: readonly MilestoneMember[],
  configured: readonly Milestone[],
): MilestoneSummary[] {
  const byMilestone = groupBy(members, (member) => member.milestone);
  const written = new Map(configured.map((milestone) => [milestone.id, milestone]));
  const places = milestoneOrder([...written.keys()], byMilestone.keys());
  return [...places.keys()].map((id) => summarise(written.get(id) ?? { id }, byMilestone.get(id) ?? []));
}

function summarise(milestone: Milestone, members: readonly MilestoneMember[]): MilestoneSummary {
  return {
    ...milestone,
    status: derivedStatus(members),
    task_ids: members.map((member) => member.id),
    ...countByStatus(members),
  };
}

type Counted = Pick<MilestoneMember, 'status' | 'unapproved'>;

export function countByStatus(members: readonly Counted[]): TaskCounts {
  const count = (...of: MemberStatus[]) => members.filter(({ status }) => of.includes(status)).length;
  const unapproved = members.filter((member) => member.unapproved).length;
  return {
    total: members.length,
    completed: count('completed') - unapproved,
    unapproved,
    pending: count('pending', 'blocked'),
    in_progress: count('in_progress'),
    failed: count('failed'),
    skipped: count('skipped'),
  };
}

/** Skipped tasks were done elsewhere or dropped: they neither hold a milestone back nor start it. */
function derivedStatus(members: readonly Counted[]): MilestoneSummary['status'] {
  const statuses = members.map(({ status, unapproved }) => (unapproved ? 'in_progress' : status));
  if (statuses.includes('failed')) return 'failed';
  if (statuses.length > 0 && statuses.every((s) => s === 'completed' || s === 'skipped')) return 'completed';
  return statuses.some((s) => s === 'in_progress' || s === 'completed') ? 'in_progress' : 'pending';
}
