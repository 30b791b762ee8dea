/** A score as people read it, with its working. */
import {
  levelActions,
  pointsMax,
  type Reason,
  type Score,
  type ScoreComponent,
  scoreComponents,
} from '../score.ts';
import type { Split } from '../split.ts';

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
  return reasons[name].length === 0 ? start : `${start}  ${describeReasons(reasons[name])}`;
}

function describeReasons(reasons: readonly Reason[]): string {
  const shown = reasons.slice(0, reasonsShown).map(({ what, points }) => `${printable(what)} ${points}`);
  const more = reasons.length - shown.length;
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** File names come from outside: no control or formatting characters, and an end. */
function printable(text: string): string {
  const clean = text.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '?');
  return clean.length > 120 ? `${clean.slice(0, 119)}…` : clean;
}

export function describeSplit(id: string, split: Split): string {
  if (split.kind === 'cannot') return `#${id} is not split: ${split.why}`;
  const lines = split.segments.map((segment, at) => {
    const after = segment.depends_on?.map((on) => `#${on}`).join(', ') ?? '';
    const counts = `${filesOf(segment)} files, ${segment.acceptance_criteria?.length ?? 0} criteria`;
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
