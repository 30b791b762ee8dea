import { closingWords, firstSentence } from '../markdown/closing-words.ts';
import { neutraliseLine, neutraliseText } from '../markdown/neutralise.ts';

export type CommitPurpose =
  | { readonly kind: 'step' }
  /** `claims`: the findings that it answers, the worst first. */
  | { readonly kind: 'improve'; readonly cycle: number; readonly claims?: readonly string[] }
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
  const subject = subjectOf(parts);
  const paragraphs = [subject, ...reasonOf(parts, subject), ...summaryOf(parts), ...subjectsOf(parts)];
  const taskId = parts.taskId.replace(/[^\w.-]/g, '');
  return `${paragraphs.join('\n\n')}\n\nTask: ${taskId}\n`;
}

function feedback(cycle: number): string {
  return `Address review feedback (cycle ${cycle})`;
}

/** Of an improve what it says that it did, else what it was asked for: a history of equal lines tells nothing. */
function subjectOf({ purpose, title, taskId, summary = '' }: CommitParts): string {
  const named = (length: number) => neutraliseLine(title, 'commit', length) || `Work on ${taskId}`;
  switch (purpose.kind) {
    case 'step':
      return named(subjectLengthMax);
    case 'improve': {
      const said = neutraliseLine(firstSentence(summary), 'commit', subjectLengthMax);
      const asked = neutraliseLine(purpose.claims?.[0] ?? '', 'commit', subjectLengthMax - 25);
      return said || (asked === '' ? feedback(purpose.cycle) : `Address review feedback: ${asked}`);
    }
    case 'wip':
      return `WIP: ${named(subjectLengthMax - 5)}`;
  }
}

function reasonOf({ purpose }: CommitParts, subject: string): string[] {
  if (purpose.kind === 'wip') return [`Saved unfinished: ${neutraliseLine(purpose.reason, 'commit', 200)}.`];
  const isSaid = purpose.kind === 'step' || subject === feedback(purpose.cycle);
  return isSaid ? [] : [`${feedback(purpose.cycle)}.`];
}

function summaryOf({ summary = '' }: CommitParts): string[] {
  const words = closingWords(summary, summaryLengthMax + 1);
  const text = neutraliseText(words.slice(0, summaryLengthMax), 'commit').trim();
  if (text === '') return [];
  return [words.length > summaryLengthMax ? `${text}\n[cut at ${summaryLengthMax} characters]` : text];
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
