/** A table of steps: when, what, who, result, duration and cost. */
import { duration, money, type Step, taskAt, when, words } from './data.ts';
import { button, type Column, el, growTable } from './dom.ts';

export function howEnded({ verdict, outcome }: Step): string {
  return verdict ? words(verdict) : outcome;
}

/** With `openTask` each row also names its task, and a click opens it. */
export function stepTable(steps: readonly Step[], openTask?: (at: number) => void): HTMLElement {
  const columns: Column[] = [
    { name: 'When' },
    ...(openTask ? [{ name: 'Task' }] : []),
    { name: 'Step' },
    { name: 'Who' },
    { name: 'Ended' },
    { name: 'Took', isNumber: true },
    { name: 'Cost', isNumber: true },
  ];
  return growTable(columns, steps, (step) => {
    const task = openTask
      ? el(
          'td',
          {},
          button({ class: 'plain', dir: 'auto' }, () => openTask(step.task), taskAt(step.task).title),
        )
      : null;
    return el(
      'tr',
      {},
      el('td', { class: 'dim' }, when(step.start)),
      task,
      el('td', {}, step.name),
      el('td', { 'data-h': 'by' }, step.agent),
      el('td', {}, howEnded(step)),
      el('td', { class: 'n', 'data-h': 'took' }, duration(step.seconds)),
      el('td', { class: 'n' }, step.cents ? money(step.cents) : ''),
    );
  });
}
