/** `gza summary` for people: on a terminal, and as Markdown for a workflow's summary page. */
import type { Cost, Counts, Summary } from '../../board/summary.ts';
import type { CostRow } from '../../policy/cost.ts';
import { printDuration } from '../../time.ts';
import { costText as amountText, tokenText } from '../amounts.ts';
import { neutraliseMarkdown } from '../github/inline-text.ts';
import { type Style, shorten } from './lines.ts';
import { statusCounts } from './lists.ts';
import { costLines } from './work-summary.ts';

const idsShownMax = 10;
const waitingShownMax = 20;
const rowsShownMax = 100;

/** `rows`: what steps cost, where that was asked for. */
export function summaryText(summary: Summary, style: Style, rows: readonly CostRow[] = []): string {
  const { tasks, milestones, groups, waiting } = summary;
  const lines = [`${style.bold(`${tasks.progress} of ${tasks.total} tasks`)}: ${countsText(tasks)}`];
  const line = (name: string, ids: readonly string[]) => {
    if (ids.length > 0) lines.push(`${name}: ${idsText(ids)}`);
  };
  line('current', summary.current_task_ids);
  line('in flight', summary.in_flight_task_ids);
  line('failed', summary.failed_task_ids);
  if (summary.cost_usd > 0 || summary.unpriced_tokens > 0 || summary.seconds > 0)
    lines.push(`spent: ${[money(summary), time(summary)].filter(Boolean).join(', ')}`);
  if (summary.reserved_usd > 0)
    lines.push(`reserved: $${summary.reserved_usd.toFixed(2)} by what is at work`);
  const [today] = summary.days;
  if (today) lines.push(`last spent: ${today.day}${costText(today)}`);
  const costs = costLines(rows);
  if (costs.length > 0) lines.push('', style.bold('Costs'), ...costs);
  if (milestones.length > 0) {
    lines.push('', style.bold('Milestones'));
    for (const one of milestones) {
      const name = shorten(one.name ? `${one.id} ${one.name}` : one.id);
      lines.push(`  ${one.progress.padStart(4)}  ${name}: ${one.status}, ${one.completed} of ${one.total}`);
    }
  }
  if (groups.length > 0) {
    lines.push('', style.bold('Groups'));
    for (const one of groups)
      lines.push(`  ${one.progress.padStart(4)}  ${shorten(one.group)}: ${countsText(one)}${costText(one)}`);
  }
  if (waiting.length > 0) {
    lines.push('', style.bold('Waiting for a person'));
    for (const one of waiting.slice(0, waitingShownMax)) {
      lines.push(`  ${style.yellow('!')} ${one.id}: ${shorten(one.title)} (${shorten(one.reason, 40)})`);
      lines.push(`      ${shorten(one.detail, 160)}`, `      ${style.dim(one.commands.join(' | '))}`);
    }
    if (waiting.length > waitingShownMax)
      lines.push(`  and ${waiting.length - waitingShownMax} more: gza escalations`);
  }
  return lines.join('\n');
}

export function summaryMarkdown(summary: Summary): string {
  const { tasks, milestones, groups, waiting } = summary;
  const lines = [`### ${tasks.progress} of ${tasks.total} tasks`, '', countsText(tasks), ''];
  const line = (name: string, ids: readonly string[]) => {
    if (ids.length > 0) lines.push(`- ${name}: ${cell(idsText(ids))}`);
  };
  line('Current', summary.current_task_ids);
  line('In flight', summary.in_flight_task_ids);
  line('Failed', summary.failed_task_ids);
  if (summary.cost_usd > 0 || summary.unpriced_tokens > 0)
    lines.push(`- Spent: ${[money(summary), time(summary)].filter(Boolean).join(', ')}`);
  if (summary.reserved_usd > 0)
    lines.push(`- Reserved: $${summary.reserved_usd.toFixed(2)} by what is at work`);
  const rows = [
    ...milestones.map((one) => row(`Milestone ${one.name ? `${one.id} ${one.name}` : one.id}`, one)),
    ...groups.map((one) => row(one.group, one)),
  ];
  if (rows.length > 0) {
    lines.push('', '| | Progress | Completed | Pending | In progress | Failed |');
    lines.push('| --- | ---: | ---: | ---: | ---: | ---: |', ...rows.slice(0, rowsShownMax));
    if (rows.length > rowsShownMax) lines.push(`| … and ${rows.length - rowsShownMax} more | | | | | |`);
  }
  if (waiting.length > 0) {
    lines.push('', '#### Waiting for a person', '');
    for (const { id, title, detail, commands } of waiting.slice(0, waitingShownMax)) {
      lines.push(`- **${cell(id)}** ${cell(title)}: ${cell(shorten(detail, 160))}`);
      lines.push(`  ${commands.map((one) => `\`${one.replaceAll('`', '')}\``).join(' ')}`);
    }
    if (waiting.length > waitingShownMax) lines.push(`- and ${waiting.length - waitingShownMax} more`);
  }
  return `${lines.join('\n')}\n`;
}

function row(name: string, counts: Omit<Counts, 'skipped'>): string {
  const { progress, completed, pending, in_progress, failed } = counts;
  return `| ${[cell(name), progress, completed, pending, in_progress, failed].join(' | ')} |`;
}

/** Outside text in a cell: one line, without what Markdown or GitHub would act on. */
function cell(text: string): string {
  return neutraliseMarkdown(shorten(text, 120));
}

function countsText(counts: Counts): string {
  return statusCounts(counts) || 'no tasks';
}

function idsText(ids: readonly string[]): string {
  const more = ids.length > idsShownMax ? ` and ${ids.length - idsShownMax} more` : '';
  return `${ids.slice(0, idsShownMax).join(', ')}${more}`;
}

/** `, $1.20, 40k tokens` */
function costText({ cost_usd, input_tokens, output_tokens }: Cost): string {
  const tokens = input_tokens + output_tokens;
  const parts = [cost_usd > 0 ? `$${cost_usd.toFixed(2)}` : '', tokens > 0 ? tokenText(tokens) : ''];
  return parts
    .filter(Boolean)
    .map((part) => `, ${part}`)
    .join('');
}

function money({ cost_usd, unpriced_tokens }: Summary): string {
  return cost_usd > 0 || unpriced_tokens > 0 ? amountText(cost_usd || undefined, unpriced_tokens) : '';
}

function time({ seconds }: Summary): string {
  return seconds > 0 ? printDuration(seconds) : '';
}
