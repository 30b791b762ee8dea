/**
 * Prints a task as the text of an issue. A mark in the text holds a digest of what was sent, because trackers
 * rewrite Markdown and the texts cannot be compared.
 */
import type { TaskView } from '../../board/board.ts';
import { neutraliseLine, neutraliseText } from '../../markdown/neutralise.ts';
import { fnv1a64 } from '../../review/same-finding.ts';

const titleCharsMax = 200;
const contentCharsMax = 12_000;
const criterionCharsMax = 500;
const criteriaMax = 50;

/** gza manages only labels with these prefixes. */
export const ownLabelPrefixes = ['group: ', 'milestone: '] as const;
const labelCharsMax = 50;

/** Facts that go into the text when the tracker has no field for them. */
export interface InText {
  readonly blockedBy: readonly string[];
  readonly link: string | null;
}

export interface IssueText {
  readonly title: string;
  readonly body: string;
  readonly digest: string;
}

export function issueText(view: TaskView, inText: InText): IssueText {
  const title = neutraliseLine(view.task.title, 'body', titleCharsMax) || view.id;
  const text = [content(view), criteria(view), facts(view, inText)]
    .filter((part) => part !== '')
    .join('\n\n');
  const digest = fnv1a64(`${title}\n${text}`);
  const mark = `Kept up to date by gza down to here: \`gza:${view.id}:${digest}\``;
  return { title, digest, body: `${text}\n\n${mark}` };
}

function content({ task }: TaskView): string {
  const story = task.user_story ? `${harmless(task.user_story)}\n\n` : '';
  return `${story}${harmless(task.content)}`.trim();
}

function harmless(text: string): string {
  const short =
    text.length > contentCharsMax
      ? `${text.slice(0, contentCharsMax).replace(/[\ud800-\udbff]$/, '')}…`
      : text;
  // Prevents a task's text from forging gza's mark.
  return neutraliseText(short, 'body')
    .replaceAll(/`(?=gza:)/gi, "'")
    .trim();
}

function criteria({ task: { acceptance_criteria: all = [] } }: TaskView): string {
  if (all.length === 0) return '';
  const shown = all.slice(0, criteriaMax).map((one) => `- ${inLine(one)}`);
  const rest = all.length > criteriaMax ? [`- … and ${all.length - criteriaMax} more`] : [];
  return ['**Acceptance criteria**', '', ...shown, ...rest].join('\n');
}

function facts({ record, status }: TaskView, { blockedBy, link }: InText): string {
  const lines: string[] = [];
  if (record?.stop && !record.closed_at) lines.push(`**Waits for a person:** ${inLine(record.stop.detail)}`);
  if (status === 'failed' && record?.error) lines.push(`**Failed:** ${inLine(record.error)}`);
  if (blockedBy.length > 0) lines.push(`**After:** ${blockedBy.map((id) => `\`${id}\``).join(', ')}`);
  if (link !== null) lines.push(`**Pull request:** ${link}`);
  return lines.join('\n\n');
}

function inLine(text: string): string {
  return neutraliseLine(text.replaceAll('`', "'"), 'body', criterionCharsMax);
}

export interface Mark {
  readonly task: string;
  readonly digest: string;
  /** What people wrote below it. */
  readonly below: string;
}

export function readMark(body: string): Mark | null {
  const found = /`gza:([A-Za-z0-9._-]{1,64}):([0-9a-f]{16})`/.exec(body);
  if (!found) return null;
  const [all, task = '', digest = ''] = found;
  return { task, digest, below: body.slice(found.index + all.length) };
}

/** Commas divide labels in GitHub's own lists. */
export function issueLabel(prefix: (typeof ownLabelPrefixes)[number], name: string): string {
  return neutraliseLine(`${prefix}${name.replaceAll(',', ' ')}`, 'comment', labelCharsMax);
}
