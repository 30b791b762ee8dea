/** A complexity score for people, with the reasons behind it. */
import {
  levelActions,
  pointsMax,
  type Reason,
  type Score,
  type ScoreComponent,
  scoreComponents,
} from '../../sizing/score.ts';
import type { Split } from '../../sizing/split.ts';

const reasonsShown = 6;

export function describeScore(score: Score): string {
  const lines = scoreComponents.map((name) => componentLine(name, score));
  const end = score.total === 0 ? [] : [`  largest share: ${score.dominant}`];
  return [
    `${score.total.toFixed(1)} of 13 ${score.level}: ${levelActions[score.level]}`,
    ...lines,
    ...end,
  ].join('\n');
}

function componentLine(name: ScoreComponent, { points, reasons }: Score): string {
  const start = `  ${name.padEnd(23)}  ${points[name].toFixed(1)} of ${pointsMax[name]}`;
  if (reasons[name].length === 0) return start;
  if (name !== 'file_scope') return `${start}  ${describeReasons(reasons[name], withPoints)}`;
  return `${start}  ${counted(reasons[name].length, 'file', 'files')}: ${describeReasons(reasons[name], ({ what }) => what)}`;
}

function withPoints({ what, points }: Reason): string {
  return `${what} ${points}`;
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}

function describeReasons(reasons: readonly Reason[], describe: (reason: Reason) => string): string {
  const shown = reasons.slice(0, reasonsShown).map((reason) => printable(describe(reason)));
  const more = reasons.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** Removes control and formatting characters and limits the length, because file names are untrusted. */
function printable(text: string): string {
  const clean = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
  return clean.length > 120 ? `${clean.slice(0, 119)}…` : clean;
}

export function describeSplit(id: string, split: Split): string {
  if (split.kind === 'cannot') return `#${id} is not split: ${split.why}`;
  const lines = split.segments.map((segment, at) => {
    const after = segment.depends_on?.map((on) => `#${on}`).join(', ') ?? '';
    const files = counted(filesOf(segment), 'file', 'files');
    const counts = `${files}, ${counted(segment.acceptance_criteria?.length ?? 0, 'criterion', 'criteria')}`;
    return `  #${segment.id}  ${split.scores[at]!.total.toFixed(1)}  ${printable(segment.title)} (${counts}${after ? `, after ${after}` : ''})`;
  });
  const shared = split.shared.length === 0 ? [] : [`  shared: ${split.shared.map(printable).join(', ')}`];
  return [`#${id} is split by ${split.strategy} into ${split.segments.length}:`, ...lines, ...shared].join(
    '\n',
  );
}

function filesOf(task: {
  files_to_create?: string[];
  files_to_modify?: string[];
  test_files?: string[];
}): number {
  const { files_to_create = [], files_to_modify = [], test_files = [] } = task;
  return files_to_create.length + files_to_modify.length + test_files.length;
}

/** One line per task, for lists: `11.5 CRITICAL auth-model: Add the model`. */
export function scoreLines(
  scored: readonly { readonly view: { id: string; task: { title: string } }; readonly score: Score }[],
): string {
  return scored
    .map(({ view, score }) => {
      const head = `${score.total.toFixed(1).padStart(4)}  ${score.level.padEnd(8)}`;
      return `${head}  ${printable(view.id)}: ${printable(view.task.title)}`;
    })
    .join('\n');
}
