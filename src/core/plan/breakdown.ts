/**
 * Turns a plan into tasks: gives them ids that survive reordering, resolves the plan's names for
 * dependencies, adds the product's criteria, and splits large tasks. Refuses a plan with circular
 * dependencies. `notes` lists what it assumed.
 */

import { buildGraph } from '../board/graph.ts';
import { GzaError } from '../errors.ts';
import { type ScoreInput } from '../sizing/score.ts';
import { splitTask } from '../sizing/split.ts';
import { idFrom, type Milestone, type Task } from '../task/task.ts';
import { type PlanOutline, parsePlan, type RawTask } from './parse-plan.ts';
import { readPlanFields } from './plan-fields.ts';
import { type Criterion, joinCriteria } from './product-criteria.ts';

export interface BreakdownInput {
  /** Name of the plan, for messages. */
  readonly file: string;
  readonly plan: string;
  readonly group: string;
  readonly criteria: readonly Criterion[];
  /** Whether a task outside this breakdown has the id. */
  readonly taken: (id: string) => boolean;
  readonly exists: (path: string) => boolean;
  readonly score: ScoreInput;
  readonly split: boolean;
}

export interface Breakdown {
  readonly from: PlanOutline['from'];
  /** In the order of the plan. The parts of a split task come right after it. */
  readonly tasks: readonly Task[];
  readonly milestones: readonly Milestone[];
  /** Dependencies that were added because tasks share files. */
  readonly fileWaits: readonly { readonly id: string; readonly on: string; readonly file: string }[];
  readonly splits: readonly { readonly id: string; readonly parts: readonly string[] }[];
  readonly unmet: readonly Criterion[];
  readonly notes: readonly string[];
}

export function breakDown(input: BreakdownInput): Breakdown {
  const outline = parsePlan(input.file, input.plan);
  const notes: string[] = [];
  if (outline.done > 0) notes.push(`${outline.done} ticked already, left out`);
  const planned = outline.tasks.length > 0 ? [...outline.tasks] : fromOutline(outline, input, notes);
  refuseTaken(planned, input);
  refuseCycles(planned, input.file);
  const { tasks: joined, unmet } = joinCriteria(planned, input.criteria);
  const { tasks, splits } = input.split ? splitLarge(joined, input, notes) : { tasks: joined, splits: [] };
  const graph = buildGraph(tasks.map((task) => nodeOf(task, splits)));
  const fileWaits = tasks.flatMap(({ id }) =>
    graph
      .dependencies(id)
      .flatMap((one) => (one.why === 'file' ? [{ id, on: one.id, file: one.file ?? '' }] : [])),
  );
  return { from: outline.from, tasks, milestones: outline.milestones, fileWaits, splits, unmet, notes };
}

/** A split task has no files here, because its parts have them. */
function nodeOf(task: Task, splits: Breakdown['splits']) {
  const { id, depends_on, files_to_create, files_to_modify, parent } = task;
  const isWhole = splits.some((one) => one.id === id);
  return { id, depends_on, parent, closed: false, ...(isWhole ? {} : { files_to_create, files_to_modify }) };
}

function fromOutline({ raw }: PlanOutline, input: BreakdownInput, notes: string[]): Task[] {
  const ids = idsFor(raw, input);
  const read = raw.map(({ lines }) => readPlanFields(lines, input.exists));
  const isChain =
    raw.every(({ label }) => label?.kind === 'step') && read.every(({ after }) => after.length === 0);
  if (isChain && raw.length > 1) notes.push('steps follow one another: each waits for the one before');
  return raw.map((one, at) => {
    const { content, create, modify, tests, criteria, after, priority, story } = read[at]!;
    const waits = after.flatMap((reference) =>
      resolve(reference, at, { raw, ids, notes, taken: input.taken }),
    );
    const depends_on = isChain && at > 0 ? [ids[at - 1] as string] : [...new Set(waits)];
    return {
      id: ids[at] as string,
      type: 'implement' as const,
      title: one.title,
      content: content === '' ? one.title : content,
      ...(one.phase === null ? {} : { milestone: one.phase }),
      ...(priority ? { priority } : {}),
      ...(story ? { user_story: story } : {}),
      ...(depends_on.length > 0 ? { depends_on } : {}),
      ...(create.length > 0 ? { files_to_create: [...create] } : {}),
      ...(modify.length > 0 ? { files_to_modify: [...modify] } : {}),
      ...(tests.length > 0 ? { test_files: [...tests] } : {}),
      ...(criteria.length > 0 ? { acceptance_criteria: [...criteria] } : {}),
    };
  });
}

const idCharactersMax = 40;

/** Makes ids from titles and not from numbers, so that a reordered plan keeps its tasks. */
function idsFor(raw: readonly RawTask[], { group, taken }: BreakdownInput): string[] {
  const used = new Set<string>();
  return raw.map(({ title, label }) => {
    const slug =
      slugOf(title) ?? idFrom(`${group}-${label?.number ?? used.size + 1}`) ?? `task-${used.size + 1}`;
    const base = taken(slug) ? `${slugOf(group) ?? 'plan'}-${slug}`.slice(0, 60) : slug;
    let id = base;
    for (let n = 2; used.has(id) || taken(id); n += 1) id = `${base}-${n}`;
    used.add(id);
    return id;
  });
}

export function slugOf(text: string): string | null {
  const id = idFrom(text.toLowerCase().replaceAll(/[._]+/g, '-'))?.replaceAll(/-{2,}/g, '-');
  if (id === undefined || id.length <= idCharactersMax) return id ?? null;
  const cut = id.slice(0, idCharactersMax + 1);
  return cut.slice(0, Math.max(cut.lastIndexOf('-'), 20)).replace(/-+$/, '');
}

interface Naming {
  readonly raw: readonly RawTask[];
  readonly ids: readonly string[];
  readonly notes: string[];
  readonly taken: (id: string) => boolean;
}

/** Resolves a plan's name for another task: `Task 2`, `2`, `T2`, its title, its id, or a whole phase. */
function resolve(reference: string, own: number, { raw, ids, notes, taken }: Naming): string[] {
  const name = normal(reference);
  const number = /^(?:task|step|t|story|ticket|work item)?\s*-?#?\s*(\d+(?:\.\d+)*[a-z]?)$/.exec(name)?.[1];
  const phase = /^(?:phase|milestone|stage|m)\s*(\d+)$/.exec(name)?.[1];
  const matches = raw.flatMap((one, at) => {
    if (at === own) return [];
    const isIt =
      (number !== undefined &&
        one.label?.kind !== 'phase' &&
        one.label?.number.toLowerCase().replace(/^t/, '') === number) ||
      (phase !== undefined && one.phase === `M${phase}`) ||
      normal(one.title) === name ||
      ids[at] === reference;
    return isIt ? [ids[at] as string] : [];
  });
  if (matches.length > 0) return matches;
  if (taken(reference)) return [reference];
  notes.push(`${ids[own]} depends on "${reference.slice(0, 60)}", which the plan does not have; left out`);
  return [];
}

function normal(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

function refuseTaken(tasks: readonly Task[], { taken, file }: BreakdownInput): void {
  const seen = new Set<string>();
  for (const { id } of tasks) {
    if (seen.has(id)) throw new GzaError('input', `${file} gives the id ${id} twice`);
    seen.add(id);
    if (!taken(id)) continue;
    throw new GzaError('input', `${file} has a task ${id}, and so has another file or a ledger`, {
      hint: 'Give it another id in the plan.',
    });
  }
}

function refuseCycles(tasks: readonly Task[], file: string): void {
  const { cycles } = buildGraph(
    tasks.map(({ id, depends_on, parent }) => ({ id, depends_on, parent, closed: false })),
  );
  if (cycles.length === 0) return;
  const paths = cycles.slice(0, 5).map((path) => path.slice(0, 20).join(' → '));
  throw new GzaError('input', `the tasks of ${file} wait for one another in a circle: ${paths.join('; ')}`, {
    hint: 'Take one dependency out of the plan. Nothing was written.',
  });
}

/** Splits large tasks. The original keeps its text and passes its files and criteria to its parts. */
function splitLarge(tasks: readonly Task[], input: BreakdownInput, notes: string[]) {
  let current = [...tasks];
  const splits: { id: string; parts: string[] }[] = [];
  for (const task of tasks) {
    const now = current.find(({ id }) => id === task.id) as Task;
    const parents = current.some(({ parent }) => parent === task.id);
    const split = parents
      ? null
      : splitTask(now, current, { ...input.score, taken: (id) => current.some((one) => one.id === id) });
    if (split?.kind !== 'split') {
      if (split && !/threshold|nothing to divide/.test(split.why))
        notes.push(`${task.id} is not split: ${split.why}`);
      continue;
    }
    const waits = new Map(split.repointed.map(({ id, depends_on }) => [id, depends_on]));
    current = current.flatMap((one) => {
      if (one.id === task.id) return [withoutMoved(one), ...split.segments];
      const depends_on = waits.get(one.id);
      return [depends_on ? { ...one, depends_on } : one];
    });
    splits.push({ id: task.id, parts: split.segments.map(({ id }) => id) });
  }
  return { tasks: current, splits };
}

function withoutMoved(task: Task): Task {
  const {
    files_to_create: _,
    files_to_modify: __,
    test_files: ___,
    acceptance_criteria: ____,
    ...rest
  } = task;
  return rest;
}
