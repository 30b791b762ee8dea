/** The report data that the verb put into the page, the filter, and number formats. */
import type { ReportData, ReportState, ReportTask } from '../core/report/report-data.ts';
import { byId } from './dom.ts';

export type State = ReportState;
export type Task = ReportTask;

export const data = JSON.parse(byId('data').textContent ?? '') as ReportData;

export const marks: Readonly<Record<State, string>> = {
  person: '!',
  working: '→',
  ready: '○',
  blocked: '·',
  failed: '✗',
  done: '✓',
  skipped: '–',
};

export const names: Readonly<Record<State, string>> = {
  person: 'Waiting for a person',
  working: 'In progress',
  ready: 'Ready',
  blocked: 'Blocked',
  failed: 'Failed',
  done: 'Done',
  skipped: 'Skipped',
};

/** The current filter. Empty fields match everything. */
export const filter = { text: '', group: '', milestone: '' };

export function isFiltered(): boolean {
  return filter.text !== '' || filter.group !== '' || filter.milestone !== '';
}

export function isShown({ id, title, holder, group, milestone }: Task): boolean {
  return (
    (filter.group === '' || group === filter.group) &&
    (filter.milestone === '' || milestone === filter.milestone) &&
    (filter.text === '' || `${id} ${title} ${holder ?? ''}`.toLowerCase().includes(filter.text))
  );
}

export function taskAt(at: number): Task {
  return data.tasks[at] as Task;
}

/** A run of an agent, as one of the page's rows and bars. */
export interface Step {
  readonly task: number;
  readonly name: string;
  readonly outcome: string;
  readonly start: number;
  readonly seconds: number;
  readonly agent: string;
  readonly verdict: string;
  readonly cents: number;
}

export const steps: readonly Step[] = data.timeline.map(
  ([task, step, outcome, start, seconds, agent, cycle, verdict, cents]) => {
    const name = cycle > 0 ? `${step} ${cycle}` : step;
    return { task, name, outcome, start, seconds, agent, verdict, cents };
  },
);

export function words(verdict: string): string {
  return verdict.toLowerCase().replaceAll('_', ' ');
}

export function short(text: string, max: number): string {
  return text.length > max ? `${text.slice(0, max - 1)}…` : text;
}

export function money(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

export function duration(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  const hours = seconds / 3600;
  return hours < 48 ? `${hours.toFixed(1)} h` : `${(hours / 24).toFixed(1)} d`;
}

/** In the time zone of the viewer. */
export function when(seconds: number): string {
  const date = new Date(seconds * 1000);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
