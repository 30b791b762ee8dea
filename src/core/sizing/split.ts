/**
 * Splits a task into a chain of segments, each easier than the whole. Every file and criterion of the
 * original is in exactly one segment, except files that several segments must share. A segment above the
 * threshold is split again immediately, so a second split changes nothing.
 */

import { type Task, titleCharactersMax } from '../task/task.ts';
import { divide, type Part, type Strategy, wholePart } from './divide.ts';
import { type Score, type ScoreInput, scoreTask, sizeLimitsBuiltIn } from './score.ts';

export interface SplitInput extends ScoreInput {
  /** Whether an id is in use. */
  readonly taken?: (id: string) => boolean;
}

export type Split =
  | {
      readonly kind: 'split';
      /** The strategy of the first division. */
      readonly strategy: Strategy;
      readonly score: Score;
      readonly segments: readonly Task[];
      /** The scores of the segments, in order. */
      readonly scores: readonly Score[];
      /** Tasks that waited for the original and now wait for the last segment. */
      readonly repointed: readonly { readonly id: string; readonly depends_on: string[] }[];
      /** Files that are in more than one segment. */
      readonly shared: readonly string[];
    }
  /** `isTooLarge`: the task should be split but cannot be. */
  | { readonly kind: 'cannot'; readonly why: string; readonly isTooLarge?: true };

/** A task that needs more segments should be a plan. */
const segmentsMax = 50;

export function splitTask(
  task: Task,
  dependents: readonly Pick<Task, 'id' | 'depends_on'>[],
  input: SplitInput = {},
): Split {
  const threshold = (input.limits ?? sizeLimitsBuiltIn).complexity_threshold;
  const score = scoreTask(task, input);
  const why = refusal(task, score, threshold);
  if (why !== undefined) return { kind: 'cannot', why };
  const scoreOf = (part: Part) => scoreTask(segmentOf(task, part, 0, 2), input);
  const divided = divide(
    { part: wholePart(task), score },
    { scoreOf, threshold, layerRules: input.layerRules ?? [] },
  );
  if (divided === undefined) return tooLarge(notSmaller(score));
  const { parts, strategy } = divided;
  if (parts.length > segmentsMax) {
    return tooLarge(`it would take ${parts.length} segments, more than ${segmentsMax}: plan it first`);
  }
  const segments = parts.map((part, at) => segmentOf(task, part, at, parts.length));
  const taken = segments.find(({ id }) => input.taken?.(id));
  if (taken !== undefined) return tooLarge(`#${taken.id} exists already`);
  const scores = segments.map((segment) => scoreTask(segment, input));
  const repointed = repoint(task.id, segments.at(-1)!.id, dependents);
  return { kind: 'split', strategy, score, segments, scores, repointed, shared: sharedFiles(parts) };
}

function refusal(task: Task, score: Score, threshold: number): string | undefined {
  if (task.type !== 'task' && task.type !== 'implement')
    return `a task of type ${task.type} has nothing to divide`;
  if (task.depends_on?.includes(task.id)) return 'it depends on itself; a person must resolve that first';
  if (score.total <= threshold) {
    return `it scores ${score.total.toFixed(1)}, which is not above the threshold of ${threshold.toFixed(1)}`;
  }
  return undefined;
}

function tooLarge(why: string): Split {
  return { kind: 'cannot', why, isTooLarge: true };
}

function notSmaller(score: Score): string {
  return `it scores ${score.total.toFixed(1)}, but no way to divide its files or criteria makes every part easier`;
}

/** a … z, aa, ab … */
function letters(at: number): string {
  const last = String.fromCharCode(97 + (at % 26));
  return at < 26 ? last : letters(Math.floor(at / 26) - 1) + last;
}

function segmentOf(task: Task, part: Part, at: number, count: number): Task {
  const { budget, linear_issue_id: _, estimated_complexity: __, ...same } = task;
  const name = part.layer === undefined ? `part ${at + 1} of ${count}` : `${part.layer} layer`;
  return {
    ...same,
    id: `${task.id}-${letters(at)}`,
    parent: task.id,
    title: titled(task.title, name),
    content: contentOf(task, part, at, count),
    acceptance_criteria: [...part.criteria],
    files_to_create: [...part.create],
    files_to_modify: [...part.modify],
    test_files: [...part.tests],
    depends_on: at === 0 ? [...(task.depends_on ?? [])] : [`${task.id}-${letters(at - 1)}`],
    ...(budget === undefined ? {} : { budget: Math.floor((budget / count) * 100) / 100 }),
  };
}

function titled(title: string, name: string): string {
  const room = titleCharactersMax - name.length - 3;
  if (title.length <= room) return `${title} (${name})`;
  const cut = title.slice(0, room - 1);
  const words = cut.includes(' ') ? cut.slice(0, cut.lastIndexOf(' ')) : cut;
  return `${words}… (${name})`;
}

/** Quotes the original task as context for the agent. Quoted lines do not count in the segment's score. */
function contentOf(task: Task, part: Part, at: number, count: number): string {
  const what = part.layer === undefined ? '' : `: the ${part.layer} layer`;
  const scope = `Part ${at + 1} of ${count} of \`#${task.id}\`${what}. Do only what the files and criteria of this part ask for.`;
  const quoted = task.content.split('\n').map((line) => `> ${line}`.trimEnd());
  return [scope, '', 'The whole task, for context:', '', ...quoted].join('\n');
}

function repoint(from: string, to: string, dependents: readonly Pick<Task, 'id' | 'depends_on'>[]) {
  return dependents
    .filter((dependent) => dependent.depends_on?.includes(from))
    .map(({ id, depends_on = [] }) => ({
      id,
      depends_on: [...new Set(depends_on.map((on) => (on === from ? to : on)))],
    }));
}

function sharedFiles(parts: readonly Part[]): string[] {
  const seen = new Set<string>();
  const shared = new Set<string>();
  for (const { create, modify, tests } of parts) {
    for (const file of new Set([...create, ...modify, ...tests])) {
      if (seen.has(file)) shared.add(file);
      seen.add(file);
    }
  }
  return [...shared];
}
