/** The tasks that wait for a person, and the board with a column for each state. */
import { data, isShown, marks, money, names, type State, type Task, taskAt, words } from './data.ts';
import { button, commandButton, el, emptied, growList } from './dom.ts';
import { openTask } from './task-dialog.ts';

const columns: readonly State[] = ['person', 'working', 'ready', 'blocked', 'failed', 'done', 'skipped'];
const cardsPerPage = 40;
const waitingPerPage = 50;
const whyWaiting = new Map(data.waiting.map(({ task, detail }) => [task, detail]));

export function drawWaiting(): void {
  const into = emptied('waits');
  if (data.waiting.length === 0) into.append(el('p', {}, 'Nothing waits for a person.'));
  growList(into, data.waiting, waitingPerPage, ({ task, reason, detail, commands }) => {
    const { id, title } = taskAt(task);
    return el(
      'div',
      { class: 'wait' },
      button({ class: 'plain', dir: 'auto' }, () => openTask(task), title),
      el('span', { class: 'dim small' }, ` ${id} · ${reason}`),
      el('p', { dir: 'auto' }, detail),
      el('div', { class: 'cmds' }, ...commands.map(commandButton)),
    );
  });
}

export function drawBoard(): void {
  const into = emptied('columns');
  const shown = [...data.tasks.keys()].filter((at) => isShown(taskAt(at)));
  for (const state of columns) {
    const own = shown.filter((at) => taskAt(at).state === state);
    if (own.length === 0) continue;
    if (state === 'done') own.sort((a, b) => ((taskAt(a).closed ?? '') < (taskAt(b).closed ?? '') ? 1 : -1));
    const heading = el(
      'h2',
      {},
      el('span', { class: 'mark', 'aria-hidden': 'true' }, marks[state]),
      names[state],
      el('span', { class: 'dim small' }, String(own.length)),
    );
    const column = el('div', { class: `column s-${state}` }, heading);
    growList(column, own, cardsPerPage, cardOf);
    into.append(column);
  }
  if (shown.length === 0)
    into.append(
      el('p', { class: 'dim' }, data.tasks.length === 0 ? 'No tasks yet.' : 'No task is like that.'),
    );
}

function cardOf(at: number): HTMLElement {
  const task = taskAt(at);
  const why = whyWaiting.get(at) ?? (task.blocked ? `waits for ${task.blocked}` : null);
  return button(
    { class: `card s-${task.state}` },
    () => openTask(at),
    el('b', { dir: 'auto' }, task.title),
    el('span', { class: 'dim small' }, about(task)),
    why === null ? null : el('span', { class: 'small', dir: 'auto' }, why),
  );
}

function about({ id, group, holder, cycle, verdict, cents }: Task): string {
  const parts = [
    id,
    group,
    holder && `@${holder}`,
    cycle && `cycle ${cycle}`,
    verdict && words(verdict),
    cents && money(cents),
  ];
  return parts.filter(Boolean).join(' · ');
}
