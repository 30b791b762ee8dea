/**
 * Turns a plan into the text of a task file, without writing it. The files that the plan mentions may come
 * from a work tree or from a commit, so `gza breakdown` and a plan's own pull request give the same result.
 */
import { dirname } from 'node:path/posix';
import { GzaError } from '../../core/errors.ts';
import { type Breakdown, breakDown, slugOf } from '../../core/plan/breakdown.ts';
import { type Merged, mergeBreakdown } from '../../core/plan/merge-breakdown.ts';
import { type Criterion, parseProduct } from '../../core/plan/product-criteria.ts';
import { scoreInput } from '../../core/sizing/score.ts';
import { isTaskList } from '../../core/spool/add-tasks-text.ts';
import type { FileTask, Milestone } from '../../core/task/task.ts';
import type { Project } from '../project.ts';
import { isFixed } from './change-task.ts';

export interface Plan {
  readonly text: string;
  /** The name used in messages. */
  readonly name: string;
  readonly group: string;
  /** Its path, if the plan is a file of the repository. */
  readonly path?: string | undefined;
}

/** All paths are relative to the repository. */
export interface Files {
  readonly read: (path: string) => Promise<string | null>;
  readonly exists: (path: string) => boolean;
  readonly sizes: (paths: readonly string[]) => ReadonlyMap<string, number>;
}

export interface BrokenPlan {
  readonly file: string;
  /** The previous content; null when the file is new. */
  readonly before: string | null;
  readonly found: Breakdown;
  readonly merged: Merged;
}

export const planBytesMax = 2 << 20;

export function refuseLarge(name: string, bytes: number): void {
  if (bytes > planBytesMax)
    throw new GzaError('input', `${name} has ${bytes} bytes; ${planBytesMax} is the limit`);
}

export async function breakPlan(
  project: Project,
  plan: Plan,
  files: Files,
  { split, criteria }: { readonly split: boolean; readonly criteria?: readonly Criterion[] | undefined },
): Promise<BrokenPlan> {
  const { file, before } = await taskFileOf(plan, files);
  const found = await tasksOf(project, { ...plan, file }, files, {
    split,
    criteria: criteria ?? (await criteriaBeside(plan, files)),
  });
  return { file, before, found, merged: merge(project, plan, file, before, found) };
}

/** The two files where the tasks of a group may be written, in order of preference. */
export function taskFiles(group: string): readonly [string, string] {
  const name = `tasks/${slugOf(group) ?? 'plan'}`;
  return [`${name}.yml`, `${name}-tasks.yml`];
}

/** A file with a single task, perhaps the plan itself, cannot hold a list. Then the second file is used. */
async function taskFileOf({ group }: Plan, files: Files): Promise<Pick<BrokenPlan, 'file' | 'before'>> {
  const [file, beside] = taskFiles(group);
  const before = await files.read(file);
  if (before === null || isTaskList(file, before)) return { file, before };
  return { file: beside, before: await files.read(beside) };
}

async function criteriaBeside({ path }: Plan, files: Files): Promise<Criterion[]> {
  const beside = path === undefined ? [] : [`${dirname(path)}/PRODUCT.md`.replace(/^\.\//, '')];
  for (const one of [...beside, 'PRODUCT.md']) {
    const text = await files.read(one);
    if (text !== null) return parseProduct(text);
  }
  return [];
}

async function tasksOf(
  { board, config, backlog, read }: Project,
  { text, name, group, file }: Plan & { readonly file: string },
  files: Files,
  { split, criteria }: { readonly split: boolean; readonly criteria: readonly Criterion[] },
): Promise<Breakdown> {
  const { tasks } = await backlog.read();
  const own = new Set(tasks.filter((one) => one.file === file).map(({ task }) => task.id));
  const found = breakDown({
    file: name,
    plan: text,
    group,
    criteria,
    taken: (id) => !own.has(id) && board.views.get(id) !== undefined && board.views.get(id)?.file !== file,
    exists: files.exists,
    // Gets the size of every path in the plan, because each may become a file of some task.
    score: scoreInput(config, files.sizes(text.match(/(?<![\w@./-])[\w@./-]+\.\w{1,10}/g) ?? [])),
    split,
  });
  return knownMilestones(found, { group, file, tasks, milestones: read.milestones });
}

function merge(
  { board }: Project,
  { name, path, group }: Plan,
  file: string,
  before: string | null,
  found: Breakdown,
): Merged {
  const views = [...board.views.values()];
  return mergeBreakdown({
    file,
    text: before,
    about: [
      `From ${name}, by gza breakdown. Change what you like: what was changed here, or has begun, is left alone when`,
      'it is run again. The marks behind the ids tell what came from the plan.',
    ],
    shared: { group, ...(path === undefined ? {} : { plan_file: path }) },
    tasks: found.tasks,
    milestones: found.milestones,
    hasBegun: (id) => {
      const view = board.views.get(id);
      return view !== undefined && isFixed(view);
    },
    isWanted: (id) => views.some((view) => view.file !== file && view.task.depends_on?.includes(id)),
  });
}

/**
 * What is needed to find milestones that clash: `M1` of one plan is not `M1` of another. One that is used
 * elsewhere with another name gets the group's name as a prefix.
 */
interface Elsewhere {
  readonly group: string;
  /** The file for the tasks of this plan. */
  readonly file: string;
  readonly tasks: readonly FileTask[];
  /** All known milestones. */
  readonly milestones: readonly Milestone[];
}

function knownMilestones(found: Breakdown, { group, file, tasks, milestones }: Elsewhere): Breakdown {
  const elsewhere = new Set(tasks.flatMap((one) => (one.file === file ? [] : (one.task.milestone ?? []))));
  const names = new Map(milestones.map(({ id, name }) => [id, name]));
  const renamed = new Map<string, string>();
  for (const { id, name } of found.milestones) {
    if (elsewhere.has(id) && name !== undefined && names.get(id) !== name) renamed.set(id, `${group}-${id}`);
  }
  if (renamed.size === 0) return found;
  const idOf = (id: string) => renamed.get(id) ?? id;
  return {
    ...found,
    milestones: found.milestones.map((one) => ({ ...one, id: idOf(one.id) })),
    tasks: found.tasks.map((task) =>
      task.milestone === undefined ? task : { ...task, milestone: idOf(task.milestone) },
    ),
  };
}
