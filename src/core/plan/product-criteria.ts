/**
 * Reads the acceptance criteria of a PRODUCT.md, and assigns each to a task of a plan, by id or else by name.
 */

import type { Task } from '../task/task.ts';
import { isAboutSection } from './plan-labels.ts';
import { plainText, planItems, planSections } from './plan-outline.ts';

export interface Criterion {
  readonly text: string;
  /** `AC-3` or `US2`, if the text begins with one. */
  readonly id: string | null;
  /** The heading of its feature. */
  readonly feature: string;
}

const criteriaMax = 1_000;
const criteriaHeading = /^(?:acceptance )?criteria\b|^acceptance\b|^done when\b/i;
const idPattern = /^([A-Z]{1,4}-?\d+(?:\.\d+)*)\b[\s:.)–—-]*/;

/** Reads the lists below a heading or line "Acceptance criteria", or else every box of a feature. */
export function parseProduct(markdown: string): Criterion[] {
  const criteria: Criterion[] = [];
  const above: { level: number; title: string }[] = [];
  for (const { level, title, lines } of planSections(markdown)) {
    while ((above.at(-1)?.level ?? -1) >= level) above.pop();
    const isCriteria = criteriaHeading.test(title);
    const feature = isCriteria ? (above.at(-1)?.title ?? '') : title;
    above.push({ level, title });
    const said = lines.findIndex(
      ({ text, standing }) => standing !== 'hidden' && criteriaHeading.test(plainText(text)),
    );
    const own = isCriteria ? lines : said >= 0 ? lines.slice(said + 1) : lines;
    const all = planItems(own, idPattern);
    const hasBoxes = all.some(({ hasBox }) => hasBox);
    // If there are boxes, an item without one is a criterion only if it has an id.
    const items = all.filter(
      ({ hasBox, text }) => hasBox || (hasBoxes ? idPattern.test(plainText(text)) : isCriteria || said >= 0),
    );
    if (items.length === 0 || (isAboutSection(title) && !isCriteria)) continue;
    for (const { text } of items) {
      const plain = plainText(text);
      criteria.push({ text: plain, id: idPattern.exec(plain)?.[1] ?? null, feature });
    }
  }
  return criteria.slice(0, criteriaMax);
}

export interface Joined {
  readonly tasks: readonly Task[];
  /** Criteria that fit no task. */
  readonly unmet: readonly Criterion[];
}

/** Adds each criterion to one task, unless a task already has it. */
export function joinCriteria(tasks: readonly Task[], criteria: readonly Criterion[]): Joined {
  const added = new Map<string, string[]>();
  const unmet: Criterion[] = [];
  const texts = new Map(tasks.map((task) => [task.id, textOf(task)]));
  const known = new Set(tasks.flatMap((task) => (task.acceptance_criteria ?? []).map(normal)));
  for (const criterion of criteria) {
    if (known.has(normal(criterion.text))) continue;
    const task = byId(criterion, tasks, texts) ?? byName(criterion, tasks);
    if (task) added.set(task.id, [...(added.get(task.id) ?? []), criterion.text]);
    else unmet.push(criterion);
  }
  const joined = tasks.map((task) => {
    const more = added.get(task.id);
    if (!more) return task;
    // A bare id only referred to a criterion. The criterion's full text now replaces it.
    const own = (task.acceptance_criteria ?? []).filter(
      (text) => !more.some((one) => one.startsWith(text.trim())),
    );
    return { ...task, acceptance_criteria: [...own, ...more] };
  });
  return { tasks: joined, unmet };
}

function textOf(task: Task): string {
  return [task.title, task.content, ...(task.acceptance_criteria ?? [])].join('\n');
}

function byId(
  { id }: Criterion,
  tasks: readonly Task[],
  texts: ReadonlyMap<string, string>,
): Task | undefined {
  if (id === null) return undefined;
  const pattern = new RegExp(`(?<![\\w-])${id.replaceAll('.', '\\.')}(?![\\w.]*\\w)`);
  return tasks.find((task) => pattern.test(texts.get(task.id) ?? ''));
}

/**
 * The task whose title shares the most words with the feature's name. All words of the shorter must match.
 */
function byName({ feature }: Criterion, tasks: readonly Task[]): Task | undefined {
  const wanted = wordsOf(feature);
  if (wanted.size === 0) return undefined;
  let best: { task: Task; shared: number } | undefined;
  for (const task of tasks) {
    const words = wordsOf(task.title);
    const shared = [...wanted].filter((word) => words.has(word)).length;
    const enough = shared > 0 && shared === Math.min(wanted.size, words.size);
    if (enough && shared > (best?.shared ?? 0)) best = { task, shared };
  }
  return best?.task;
}

const filler = new Set('a an and as by feature for from in of on or story the to user users with'.split(' '));

function wordsOf(text: string): Set<string> {
  const words =
    text
      .toLowerCase()
      .normalize('NFKC')
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  const numberless = words.filter((word) => !/^\d+$/.test(word) && !filler.has(word));
  return new Set(numberless.map((word) => word.replace(/(?<=\p{L}{3})s$/u, '')));
}

function normal(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ').trim();
}
