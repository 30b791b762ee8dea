/** What steps reserved and spent, for people on a terminal. */
import { addSpent, type CostRow, nothingSpent, type Spent } from '../../report/costs.ts';
import { costText, timeText } from '../amounts.ts';
import { columns } from './columns.ts';
import { shorten } from './task-line.ts';

const heads = [
  { name: 'task' },
  { name: 'step' },
  { name: 'agent' },
  { name: 'runs', isNumber: true },
  { name: 'reserved', isNumber: true },
  { name: 'spent', isNumber: true },
  { name: 'time', isNumber: true },
];

const rowsMax = 20;

/** Empty where nobody reserved or told anything. */
export function costLines(rows: readonly CostRow[]): string[] {
  const told = rows.filter((row) => row.cost_usd + row.unpriced_tokens + row.reserved_usd > 0);
  if (told.length === 0) return [];
  const total = rows.reduce<Spent>(addSpent, nothingSpent);
  const cells = (row: Spent, ...names: string[]) => [
    ...names,
    String(row.steps),
    costText(row.reserved_usd || undefined),
    costText(row.cost_usd || undefined, row.unpriced_tokens),
    timeText(row.seconds),
  ];
  const shown = rows
    .slice(0, rowsMax)
    .map((row) => cells(row, shorten(row.task, 40), row.step, shorten(row.agent, 30)));
  const left = rows.length - shown.length;
  const sums = rows.length > 1 ? [cells(total, 'all', '', '')] : [];
  const lines = columns(heads, [...shown, ...sums]).map((line) => `  ${line}`);
  return left > 0 ? [...lines, `  … and ${left} more; --json has them`] : lines;
}
