/** Summarises what a breakdown found and wrote, for the person who reviews it. */
import type { Breakdown } from '../../plan/breakdown.ts';
import type { Merged } from '../../plan/merge-breakdown.ts';
import { count, shorten } from './lines.ts';

const shownMax = 20;

export interface BreakdownFacts {
  readonly plan: string;
  readonly file: string;
  readonly isDry: boolean;
  readonly found: Breakdown;
  readonly merged: Merged;
}

export function breakdownText({ plan, file, isDry, found, merged }: BreakdownFacts): string {
  const { tasks, splits, fileWaits, unmet, notes, milestones } = found;
  const lines = [`${plan}: ${count(tasks.length, 'task')} from ${found.from}`];
  for (const task of tasks.slice(0, 200)) {
    const after = task.depends_on?.length ? ` (after ${task.depends_on.join(', ')})` : '';
    lines.push(`  ${task.parent ? '  ' : ''}${task.id}: ${shorten(task.title, 80)}${after}`);
  }
  if (tasks.length > 200) lines.push(`  and ${tasks.length - 200} more`);
  if (milestones.length > 0)
    lines.push(
      `milestones: ${milestones.map(({ id, name }) => shorten(name ? `${id} ${name}` : id)).join(', ')}`,
    );
  some(lines, splits, ({ id, parts }) => `${id} is too large for one task, split into ${parts.join(', ')}`);
  some(lines, fileWaits, ({ id, on, file }) => `${id} waits for ${on}: both name ${shorten(file)}`);
  some(lines, unmet, ({ text }) => `no task is asked to meet: ${shorten(text, 100)}`);
  some(lines, notes, (note) => `note: ${shorten(note, 200)}`);
  some(lines, merged.left, ({ id, why }) => `${id} is left alone: ${why}`);
  return [...lines, sumLine(file, isDry, merged)].join('\n');
}

function some<T>(lines: string[], items: readonly T[], describe: (item: T) => string): void {
  lines.push(...items.slice(0, shownMax).map(describe));
  if (items.length > shownMax) lines.push(`and ${items.length - shownMax} more like it`);
}

function sumLine(file: string, isDry: boolean, { added, updated, removed, same, left }: Merged): string {
  const parts = [
    [added, 'new'],
    [updated, 'updated'],
    [removed, 'removed'],
    [same, 'unchanged'],
    [left, 'left alone'],
  ] as const;
  const sums = parts.filter(([ids]) => ids.length > 0).map(([ids, word]) => `${ids.length} ${word}`);
  const nothing = added.length + updated.length + removed.length === 0;
  const what = nothing ? 'nothing to write' : isDry ? 'would write' : 'wrote';
  return `${what}${nothing ? ` to ${file}` : ` ${file}`}: ${sums.join(', ')}`;
}
