import type { Judged, Level } from '../../doctor/judged.ts';
import { neutraliseLine, oneLine } from '../../markdown/neutralise.ts';
import { count, type Style } from '../terminal/lines.ts';

/** `repository`: null when doctor checked only this machine. */
export function printDoctor(repository: string | null, judged: readonly Judged[], style: Style): string {
  const lines = judged.flatMap(({ level, says, todo }) => [
    `${mark(level, style)}  ${safe(says)}`,
    ...(todo ? [`         ${style.dim(safe(todo))}`] : []),
  ]);
  return [...lines, ...(repository === null ? [] : ['', summary(repository, judged)])].join('\n');
}

const width = 'warning'.length;

function mark(level: Level, style: Style): string {
  const colour = { ok: style.green, warning: style.yellow, problem: style.red }[level];
  return colour(level.padEnd(width));
}

/** Cleaned, because names of branches and checks are untrusted. */
function safe(text: string): string {
  return neutraliseLine(oneLine(text, 600), 'comment', 600);
}

function summary(repository: string, judged: readonly Judged[]): string {
  const many = (level: Level) => judged.filter((one) => one.level === level).length;
  const [problems, warnings] = [many('problem'), many('warning')];
  if (problems + warnings === 0) return `${repository}: gza can work here.`;
  return `${repository}: ${count(problems, 'problem')}, ${count(warnings, 'warning')}${problems === 0 ? '; gza can work here.' : '.'}`;
}
