import { neutraliseLine, neutraliseText } from '../markdown/neutralise.ts';

export type CommitPurpose =
  | { readonly kind: 'step' }
  | { readonly kind: 'improve'; readonly cycle: number }
  /** What was there when a step was cut short. */
  | { readonly kind: 'wip'; readonly reason: string };

export interface CommitParts {
  readonly purpose: CommitPurpose;
  readonly title: string;
  readonly taskId: string;
  /** What the agent says it did. */
  readonly summary?: string;
  /** Subjects of the commits that the agent made for itself. */
  readonly subjects?: readonly string[];
}

const subjectLengthMax = 72;
const summaryLengthMax = 4000;
const subjectsMax = 20;

/** The whole message of a commit that gza makes. Everything from outside is bounded and neutralised. */
export function commitMessage(parts: CommitParts): string {
  const paragraphs = [subjectOf(parts), ...reasonOf(parts), ...summaryOf(parts), ...subjectsOf(parts)];
  const taskId = parts.taskId.replace(/[^\w.-]/g, '');
  return `${paragraphs.join('\n\n')}\n\nTask: ${taskId}\n`;
}

function subjectOf({ purpose, title, taskId }: CommitParts): string {
  const named = (length: number) => neutraliseLine(title, 'commit', length) || `Work on ${taskId}`;
  switch (purpose.kind) {
    case 'step':
      return named(subjectLengthMax);
    case 'improve':
      return `Address review feedback (cycle ${purpose.cycle})`;
    case 'wip':
      return `WIP: ${named(subjectLengthMax - 5)}`;
  }
}

function reasonOf({ purpose }: CommitParts): string[] {
  return purpose.kind === 'wip'
    ? [`Saved unfinished: ${neutraliseLine(purpose.reason, 'commit', 200)}.`]
    : [];
}

function summaryOf({ summary = '' }: CommitParts): string[] {
  const text = neutraliseText(summary.slice(0, summaryLengthMax), 'commit').trim();
  if (text === '') return [];
  return [summary.length > summaryLengthMax ? `${text}\n[cut at ${summaryLengthMax} characters]` : text];
}

function subjectsOf({ subjects = [] }: CommitParts): string[] {
  const lines = subjects
    .slice(0, subjectsMax)
    .map((subject) => neutraliseLine(subject, 'commit', subjectLengthMax))
    .filter((line) => line !== '')
    .map((line) => `- ${line}`);
  if (lines.length === 0) return [];
  if (subjects.length > subjectsMax) lines.push(`- and ${subjects.length - subjectsMax} more`);
  return [`Steps on the way:\n${lines.join('\n')}`];
}
