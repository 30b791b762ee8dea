/** `show`: one task, whole. The lines of the git-tasks form first, then what else is set. */
import { linearIssue, type TaskView } from '../../board/board.ts';
import { oneLine } from '../../markdown/neutralise.ts';
import type { Decision } from '../../policy/decide.ts';
import { remarksOf } from '../../policy/remarks.ts';
import { complaints, verdictWords } from '../../policy/standing-verdict.ts';
import type { Task } from '../../task/task.ts';
import { allRows } from '../../task/task-fields.ts';
import { branchOf } from '../../task/task-json.ts';
import { printDuration, toSecond } from '../../time.ts';
import { costOfRecord } from '../amounts.ts';
import { blockedText, plainText, shorten } from './task-line.ts';

/** `waits`: what it waits for where no other task blocks it. */
export function showText(view: TaskView, waits: Decision | null): string {
  return [...head(view, waits), ...definition(view), ...progress(view), ...texts(view)].join('\n');
}

function head(view: TaskView, waits: Decision | null): string[] {
  const { record, task } = view;
  const status = view.status === 'completed' ? 'done' : view.status;
  const held = view.status === 'blocked' ? blockedText(view) : waits?.because;
  return [
    `${view.id}: ${shorten(task.title, 200)}`,
    line('status', held === undefined ? status : `${status} (${held})`),
    line('created', clock(record?.created_at) ?? (view.file ? `in ${view.file}` : undefined)),
    line('closed', clock(view.closedAt)),
    line('commit', record?.closed_commit?.slice(0, 7)),
  ].filter(isSet);
}

function definition(view: TaskView): string[] {
  const { task } = view;
  return [
    line('type', task.type === 'task' ? undefined : task.type),
    ...allRows.map(([name, { show }]) => (show ? line(show, printed(task[name as keyof Task])) : '')),
    line('children', view.children.join(', ')),
    line('in Linear', linearIssue(view) ?? undefined),
    line('file', view.record && view.file ? view.file : undefined),
    view.changed ? 'note: its file says something else now; gza retry takes the new text' : '',
  ].filter(isSet);
}

function printed(value: Task[keyof Task]): string | undefined {
  if (typeof value !== 'object') return value === undefined ? undefined : String(value);
  const parts = Array.isArray(value) ? value : Object.entries(value).map((pair) => pair.join(' '));
  return parts.join(', ');
}

function progress(view: TaskView): string[] {
  const { record, claim } = view;
  if (!record) return [];
  const pull = record.pull_request;
  const remarks = remarksOf(record);
  const { closed_reason, error } = complaints(record);
  return [
    line('created by', record.created_by),
    line('branch', branchOf(view) ?? undefined),
    line('held by', claim ? `${claim.holder} until ${toSecond(claim.until)}` : undefined),
    line('waits for', record.stop ? `a person: ${record.stop.detail}` : undefined),
    line('checks changed', remarks.checks.join('; ')),
    line('to look at', remarks.named.join('; ')),
    line('closed as', record.closed_as === 'done' ? undefined : record.closed_as),
    line('reason', closed_reason),
    line('verdict', verdictWords(record) || undefined),
    line('review cycle', record.review_cycle ? String(record.review_cycle) : undefined),
    line('attempts', record.attempts ? String(record.attempts) : undefined),
    line('error', error),
    line(
      'pull request',
      pull ? `#${pull.number} (${pull.state})${pull.url ? ` ${pull.url}` : ''}` : undefined,
    ),
    line('cost', record.cost_usd || record.unpriced_tokens ? costOfRecord(record) : undefined),
    line('time', record.seconds ? printDuration(record.seconds) : undefined),
  ].filter(isSet);
}

function texts(view: TaskView): string[] {
  const { task, record } = view;
  const lines: string[] = [];
  if (task.user_story) lines.push('', plainText(task.user_story));
  if (task.content.trim() !== task.title) lines.push('', plainText(task.content));
  if (task.acceptance_criteria?.length) {
    lines.push('', 'acceptance criteria:', ...task.acceptance_criteria.map(item));
  }
  if (record?.implementation_notes) lines.push('', plainText(record.implementation_notes));
  if (record?.notes?.length) lines.push('', 'notes:', ...record.notes.map(item));
  return lines;
}

function line(name: string, value: string | undefined): string {
  return value ? `${name}: ${oneLine(value, 1000)}` : '';
}

function item(text: string): string {
  return `- ${plainText(text).replaceAll('\n', '\n  ')}`;
}

function clock(iso: string | undefined): string | undefined {
  return iso && toSecond(iso);
}

function isSet(text: string): boolean {
  return text !== '';
}
