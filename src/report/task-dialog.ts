/** A dialog with everything about one task. */
import { data, duration, marks, money, names, short, steps, type Task, taskAt } from './data.ts';
import { button, byId, commandButton, el } from './dom.ts';
import { stepTable } from './step-table.ts';

const linksMax = 20;
/** For each task those that wait for it. Computed on first use. */
let waitingFor: number[][] | undefined;

export function openTask(at: number): void {
  const task = taskAt(at);
  const waits = data.waiting.find((one) => one.task === at);
  const own = steps.filter((step) => step.task === at);
  const commands = (waits?.commands ?? [`gza show ${task.id}`]).map(commandButton);
  byId('body').replaceChildren(
    el('h2', { dir: 'auto', id: 'task-title' }, task.title),
    el('div', { class: 'dim small' }, task.id),
    factsOf(task, at),
    ...[task.text, waits?.detail].filter(Boolean).map((text) => el('p', { dir: 'auto' }, text as string)),
    el('div', { class: 'cmds' }, ...commands),
    ...(own.length > 0 ? [el('h2', {}, 'Steps'), stepTable(own)] : []),
  );
  const dialog = byId('task') as HTMLDialogElement;
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

function factsOf(task: Task, at: number): HTMLElement {
  const state = el(
    'span',
    { class: `s-${task.state}` },
    el('span', { class: 'mark' }, marks[task.state]),
    ` ${names[task.state]}`,
  );
  const rows: readonly (readonly [string, readonly (Node | string)[]])[] = [
    ['State', [state]],
    ['Waits for', textOf(task.blocked)],
    ['Type', [task.type]],
    ['Group', textOf(task.group)],
    ['Milestone', textOf(task.milestone)],
    ['Part of', linksTo(task.parent === undefined ? [] : [task.parent])],
    ['After', linksTo(task.after ?? [])],
    ['Before', linksTo(waitersOf(at))],
    ['Held by', textOf(task.holder)],
    ['Verdict', textOf(verdictOf(task))],
    ['Closed', textOf(task.closed)],
    ['Cost', textOf(task.cents && money(task.cents))],
    ['Time', textOf(task.seconds && duration(task.seconds))],
    ['Pull request', task.url ? [el('a', { href: task.url, rel: 'noreferrer noopener' }, task.url)] : []],
  ];
  const list = el('dl');
  for (const [name, values] of rows) {
    if (values.length > 0) list.append(el('dt', {}, name), el('dd', { dir: 'auto' }, ...values));
  }
  return list;
}

function textOf(text: string | 0 | undefined): string[] {
  return text ? [text] : [];
}

function linksTo(tasks: readonly number[]): (Node | string)[] {
  const links = tasks.slice(0, linksMax).flatMap((at, n) => {
    const { state, title } = taskAt(at);
    const link = button({ class: 'plain' }, () => openTask(at), `${marks[state]} ${short(title, 60)}`);
    return n > 0 ? [el('br'), link] : [link];
  });
  return tasks.length > linksMax ? [...links, ` and ${tasks.length - linksMax} more`] : links;
}

function waitersOf(at: number): readonly number[] {
  if (waitingFor === undefined) {
    waitingFor = data.tasks.map(() => []);
    for (const [waiter, { after = [] }] of data.tasks.entries()) {
      for (const on of after) waitingFor[on]?.push(waiter);
    }
  }
  return waitingFor[at] ?? [];
}

/** Adds the cycle count to real verdicts, which are in capitals. Other states have no cycles. */
function verdictOf({ verdict, cycle }: Task): string | undefined {
  if (!verdict || !cycle || verdict !== verdict.toUpperCase()) return verdict;
  return `${verdict} after ${cycle} ${cycle === 1 ? 'cycle' : 'cycles'}`;
}
