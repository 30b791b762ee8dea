/** `gza simulate` for people, within 80 columns. */
import { displayWidth, oneLine } from '../../markdown/neutralise.ts';

import { stated } from '../../simulate/estimates.ts';
import type { Forecast, ForecastStop, ForecastTask, Range } from '../../simulate/forecast.ts';
import { printDuration, toSecond } from '../../time.ts';
import { columns } from './columns.ts';
import { count, type Style, shorten } from './lines.ts';

const widthMax = 80;
const barWidth = 36;
const rowsMax = 40;
const idWidth = 18;

/** `before`: the forecast without the settings in `set`, for comparison. */
export function forecastText(given: Forecast, set: readonly string[], before: Forecast | null, style: Style) {
  if (given.tasks === 0) return 'Nothing is open, so there is nothing to foresee.';
  const parts = [
    style.bold(headline(given, set)),
    before === null ? numbers([given], ['likely']) : numbers([before, given], ['as it is', 'then']),
    chart(given),
    path(given),
    stops('Stopped by a budget or a limit', given.limits),
    stops('Waits for a person', given.waits_for_person),
    behind(given),
    basis(given),
  ];
  return parts.filter((part) => part.length > 0).join('\n\n');
}

function headline({ tasks, ends_at, order }: Forecast, set: readonly string[]): string {
  const set_ = set.length > 0 ? ` with ${shorten(oneLine(set.join(', '), 200), 40)}` : '';
  if (order.length === 0) return `${count(tasks, 'open task')}${set_}: none of them would start.`;
  return `${count(tasks, 'open task')}${set_}: likely over by ${toSecond(ends_at.likely)}`;
}

const rowsOf: readonly [string, (one: Forecast) => Range | null, (number: number) => string][] = [
  ['time', ({ seconds }) => seconds, printDuration],
  ["agents' time", (one) => one.agent_seconds, printDuration],
  ['dollars', ({ dollars }) => dollars, (usd) => `$${usd.toFixed(2)}`],
  ['steps', ({ steps }) => steps, String],
  ['jobs', ({ jobs }) => jobs, String],
  ['job minutes', (one) => one.job_minutes, String],
];

function numbers(all: readonly Forecast[], names: readonly string[]): string {
  const rows = rowsOf.flatMap(([name, of, print]) => {
    const ranges = all.map(of);
    if (ranges.includes(null)) return [];
    return [[name, ...ranges.flatMap((one) => (one ? [print(one.likely), spread(one, print)] : []))]];
  });
  const heads = names.flatMap((name) => [{ name, isNumber: true }, { name: '' }]);
  return columns([{ name: '' }, ...heads], rows).join('\n');
}

function spread({ low, high }: Range, print: (number: number) => string): string {
  return low === high ? '' : `${print(low)}–${print(high)}`;
}

function chart({ order, seconds, plays }: Forecast): string {
  if (order.length === 0) return '';
  const whole = Math.max(1, ...order.map(({ end }) => end));
  const lines = order.slice(0, rowsMax).map((row) => chartLine(row, whole));
  const left = order.length - lines.length;
  const width = Math.min(idWidth, Math.max(...order.map(({ id }) => displayWidth(id) + 1)));
  const title = `The play in the middle of ${plays}, ${printDuration(seconds.likely)}:`;
  return [title, ...lines.map(([id, ...rest]) => `${padded(id ?? '', width)} ${rest.join(' ')}`.trimEnd())]
    .concat(left > 0 ? [`… and ${left} more; --json has all`] : [])
    .map((line) => shorten(line, widthMax))
    .join('\n');
}

function chartLine({ id, start, end, dollars, stands_on: on }: ForecastTask, whole: number): string[] {
  const from = Math.min(barWidth - 1, Math.max(0, Math.floor((start / whole) * barWidth)));
  const to = Math.max(from + 1, Math.round((end / whole) * barWidth));
  const bar = `${' '.repeat(from)}${'█'.repeat(to - from)}`;
  const cost = `$${dollars.likely.toFixed(2)}`;
  return [
    `#${shorten(id, idWidth - 1)}`,
    bar.padEnd(barWidth),
    cost,
    ...(on.length > 0 ? [`on ${on.join(', ')}`] : []),
  ];
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** For the board, whose text must change only when the state does: no times of day, and rounded numbers. */
export function forecastLine({ order, seconds, dollars, waits_for_person: waits }: Forecast): string {
  const need = waits.filter(({ percent }) => percent > 50).length;
  const persons = need === 0 ? '' : `; ${count(need, 'task')} will wait for a person`;
  if (order.length === 0) return '';
  const [time, usd] = [printDuration(coarse(seconds.likely)), coarse(dollars.likely)];
  const range = `$${coarse(dollars.low)}–$${coarse(dollars.high)}`;
  return `Forecast: about ${time} and $${usd} (${range}) for what can go on by itself${persons}`;
}

/** Rounds to two significant digits. */
function coarse(number: number): number {
  return Number(number.toPrecision(2));
}

const pathMax = 6;

function path({ critical_path: { tasks, seconds } }: Forecast): string {
  if (tasks.length < 2) return '';
  const shown = tasks.slice(0, pathMax).map((id) => `#${shorten(id, idWidth)}`);
  const more = tasks.length > pathMax ? ` → … (${tasks.length} tasks)` : '';
  return wrapped(
    `Critical path: ${shown.join(' → ')}${more}: no number of workers ends before ${printDuration(seconds)}.`,
  );
}

const stopsMax = 10;

function stops(title: string, all: readonly ForecastStop[]): string {
  if (all.length === 0) return '';
  const lines = all.slice(0, stopsMax).map(({ task, percent, because, change }) => {
    const how = percent === 100 ? '' : ` (in ${percent} of 100)`;
    return wrapped(
      `  #${shorten(task, 30)}${how}: ${oneLine(because, 200)} (would change it: ${oneLine(change, 200)})`,
    );
  });
  const left = all.length - lines.length;
  return [`${title}:`, ...lines, ...(left > 0 ? [`  … and ${left} more`] : [])].join('\n');
}

function behind({ behind: ids }: Forecast): string {
  if (ids.length === 0) return '';
  const named = ids.slice(0, 5).map((id) => `#${shorten(id, 20)}`);
  return wrapped(`Behind these: ${named.join(', ')}${ids.length > 5 ? ` and ${ids.length - 5} more` : ''}.`);
}

/** Shows which numbers are measured and which are guesses. */
function basis({ basis: rows }: Forecast): string {
  if (rows.length === 0) return '';
  const lines = rows.map(({ step, agent, seen, others }) => {
    const of = others ? 'all agents’ steps here' : 'its steps here';
    const guess = `${printDuration(stated.seconds[step])}, $${stated.dollars[step].toFixed(2)}, half more or less`;
    return `  ${step} by ${shorten(agent, 20)}: ${seen > 0 ? `drawn from ${seen} of ${of}` : `a guess: ${guess}`}`;
  });
  const first = rows.some(({ step, seen }) => step === 'review' && seen === 0);
  const approvals = first ? [`  a review approves in ${stated.approved * 100} of 100: a guess`] : [];
  return ['How long, how much, how it ends:', ...lines, ...approvals].join('\n');
}

function wrapped(text: string): string {
  const lines: string[] = [];
  const indent = `${/^ */.exec(text)?.[0] ?? ''}  `;
  let line = '';
  for (const word of text.split(/(?<=\S) /)) {
    const next = line === '' ? word : `${line} ${word}`;
    if (displayWidth(next) > widthMax && line !== '') {
      lines.push(line);
      line = `${indent}${word}`;
    } else line = next;
  }
  return [...lines, line].join('\n');
}
