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
}

const subjectLengthMax = 72;
const summaryLengthMax = 4000;

/** The whole message of a commit that gza makes. Everything from outside is bounded and neutralised. */
export function commitMessage(parts: CommitParts): string {
  const paragraphs = [subjectOf(parts), ...reasonOf(parts), ...summaryOf(parts)];
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
