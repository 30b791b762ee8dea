/** The timeline, with a row for each task and a bar for each step, and the cost by group and by agent. */
import type { ReportSpending } from '../core/report/report-data.ts';
import { data, duration, isShown, marks, money, type Step, short, steps, taskAt, when } from './data.ts';
import { byId, el, emptied, growTable, svg } from './dom.ts';
import { howEnded, stepTable } from './step-table.ts';
import { openTask } from './task-dialog.ts';

const rowsMax = 40;
const rowHeight = 20;
const daySeconds = 86_400;

let isListening = false;

export function drawTimeline(): void {
  const shown = steps.filter(({ task }) => isShown(taskAt(task)));
  const into = emptied('steps');
  const chart = emptied('gantt');
  const days = byId('days') as HTMLSelectElement;
  if (!isListening) days.addEventListener('change', drawTimeline);
  isListening = true;
  if (shown.length === 0) {
    into.append(el('p', { class: 'dim' }, 'Nothing was run yet.'));
    return;
  }
  chart.append(barsOf(shown, Number(days.value), chart.clientWidth - 14));
  if (data.stepCount > steps.length) {
    const cut = `The newest ${steps.length} of ${data.stepCount} steps; the sums count all.`;
    into.append(el('p', { class: 'dim small' }, cut));
  }
  into.append(stepTable(shown, openTask));
}

function barsOf(shown: readonly Step[], days: number, room: number): SVGElement {
  const end = Math.max(...shown.map(({ start, seconds }) => start + seconds));
  const first = Math.min(...shown.map(({ start }) => start));
  const from = days === 0 ? first : Math.max(end - days * daySeconds, first);
  const within = shown.filter(({ start, seconds }) => start + seconds >= from);
  const rows = [...new Set(within.map(({ task }) => task))].slice(0, rowsMax);
  const isNarrow = room < 520;
  const left = isNarrow ? 130 : 190;
  const width = Math.max(330, room);
  const height = rows.length * rowHeight + 26;
  const scale = (width - left - 20) / Math.max(1, end - from);
  const label = 'Steps over time; the table below has the same';
  const root = svg('svg', { width, height, role: 'img', 'aria-label': label });
  for (const n of [0, 1, 2, 3, 4]) {
    const at = from + ((end - from) * n) / 4;
    const x = left + (at - from) * scale;
    root.append(svg('line', { x1: x, x2: x, y1: 18, y2: height }));
    const anchor = n === 4 ? 'end' : n === 0 ? 'start' : 'middle';
    if (!isNarrow || anchor !== 'middle')
      root.append(svg('text', { class: 'sub', x, y: 12, 'text-anchor': anchor }, when(at).slice(5)));
  }
  for (const [n, at] of rows.entries()) {
    const y = 22 + n * rowHeight;
    const { state, title } = taskAt(at);
    root.append(svg('text', { x: 4, y: y + 12 }, `${marks[state]} ${short(title, isNarrow ? 17 : 27)}`));
    for (const step of within.filter(({ task }) => task === at)) {
      const x = left + Math.max(0, step.start - from) * scale;
      root.append(barOf(step, { x, y, width: Math.max(3, step.seconds * scale) }));
    }
  }
  return root;
}

function barOf(step: Step, place: { x: number; y: number; width: number }): SVGElement {
  const cost = step.cents ? `, ${money(step.cents)}` : '';
  const text = `${step.name} by ${step.agent || '?'}: ${howEnded(step)}, ${duration(step.seconds)}${cost}`;
  const shape = { class: `o-${colourOf(step)}`, height: 14, rx: 2, ...place };
  const bar = svg('rect', shape, svg('title', {}, text));
  bar.addEventListener('click', () => openTask(step.task));
  return bar;
}

function colourOf({ outcome, verdict, name }: Step): 'bad' | 'other' | 'review' | 'ok' {
  if (outcome === 'failed' || outcome === 'lost') return 'bad';
  if (outcome !== 'ok' || (verdict && verdict !== 'APPROVED')) return 'other';
  return name.startsWith('review') ? 'review' : 'ok';
}

export function drawCost(): void {
  const cents = data.byGroup.reduce((sum, one) => sum + one.cents, 0);
  const seconds = data.byGroup.reduce((sum, one) => sum + one.seconds, 0);
  byId('sum').textContent =
    `${money(cents)} and ${duration(seconds)} of agents at work, in ${data.stepCount} steps`;
  emptied('by-group').append(
    spendingTable('Group', data.byGroup, ({ done, tasks }) => `${done} of ${tasks} done`),
  );
  emptied('by-agent').append(
    spendingTable(
      'Agent',
      data.byAgent,
      (one) => `${one.steps} steps, ${one.failed} failed, ${one.tasks} tasks`,
    ),
  );
}

function spendingTable(
  name: string,
  all: readonly ReportSpending[],
  about: (one: ReportSpending) => string,
): HTMLElement {
  if (all.length === 0) return el('p', { class: 'dim' }, 'Nothing yet.');
  const sizeOf = ({ cents, seconds }: ReportSpending) => cents || seconds / 60;
  const most = Math.max(1, ...all.map(sizeOf));
  const columns = [
    { name },
    { name: 'Work' },
    { name: 'Cost', isNumber: true },
    { name: 'Time', isNumber: true },
    { name: '' },
  ];
  return growTable(columns, all, (one) => {
    const meter = el('span');
    meter.style.width = `${(100 * sizeOf(one)) / most}%`;
    return el(
      'tr',
      {},
      el('td', { dir: 'auto' }, one.name),
      el('td', { class: 'dim' }, about(one)),
      el('td', { class: 'n', 'data-h': 'cost' }, money(one.cents)),
      el('td', { class: 'n', 'data-h': 'time' }, duration(one.seconds)),
      el('td', { class: 'hide' }, el('div', { class: 'meter' }, meter)),
    );
  });
}
