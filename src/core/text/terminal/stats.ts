/** `gza stats` for people. */
import { reviewedMin, type StatRow, type Stats } from '../../report/stats.ts';
import { columns } from './columns.ts';
import { costText, count, type Style, shorten, timeText } from './lines.ts';

const rowsMax = 20;

const heads = [
  { name: 'tasks', isNumber: true },
  { name: 'done', isNumber: true },
  { name: 'approved at once', isNumber: true },
  { name: 'cycles', isNumber: true },
  { name: 'steps', isNumber: true },
  { name: 'failed', isNumber: true },
  { name: 'time', isNumber: true },
  { name: 'cost', isNumber: true },
];

export function statsText({ total, best, ...by }: Stats, style: Style): string {
  if (total.steps === 0)
    return 'No step of an agent has been recorded yet, so there is nothing to look back on. gza work runs the first.';
  const lines = [
    style.bold(`${count(total.tasks, 'task')}, ${count(total.steps, 'step')}`) +
      `: ${costOf(total)}, ${timeText(total.seconds)}, ${approvals(total)} approved at their first review`,
    bestLine(best, by.agents),
  ];
  const tables = { agent: by.agents, model: by.models, type: by.types, size: by.sizes };
  for (const [name, rows] of Object.entries(tables)) lines.push('', ...table(name, rows));
  return lines.join('\n');
}

function table(name: string, rows: readonly StatRow[]): string[] {
  const shown = rows.slice(0, rowsMax).map(cellsOf);
  const left = rows.length - shown.length;
  return [
    ...columns([{ name: `by ${name}` }, ...heads], shown),
    ...(left > 0 ? [`… and ${left} more; --json has up to 100`] : []),
  ];
}

function cellsOf(row: StatRow): string[] {
  const { name, tasks, done, reviewed, cycles, steps, failed, seconds } = row;
  const mean = reviewed === 0 ? '–' : (cycles / reviewed).toFixed(1);
  const counts = [String(tasks), String(done), approvals(row), mean, String(steps), String(failed)];
  return [shorten(name, 40), ...counts, timeText(seconds), costOf(row)];
}

/** `–` if nothing was reviewed, because then there is no rate. */
function approvals({ reviewed, approved_at_once }: StatRow): string {
  return reviewed === 0 ? '–' : `${approved_at_once} of ${reviewed}`;
}

function costOf({ cost_usd, unpriced_tokens }: StatRow): string {
  return costText(cost_usd || undefined, unpriced_tokens);
}

function bestLine(best: string | null, agents: readonly StatRow[]): string {
  const row = agents.find(({ name }) => name === best);
  if (!row) return `Too early to say which agent is best here: each needs ${reviewedMin} reviewed tasks.`;
  return `Best here so far: ${shorten(row.name, 40)}, with ${approvals(row)} approved at once`;
}
