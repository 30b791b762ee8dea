/** What a step's context says, in words: each piece cleaned, and indented so that none can pass for the next. */
import { cleanLine, cleanText } from '../markdown/fence.ts';
import type { Finding } from '../review/finding.ts';
import { printFinding } from '../text/review.ts';
import type { DependencyResult, EarlierFinding, HumanComment, StepContext } from './step-context.ts';

/** Fit for a command line. */
export function taskId({ task }: StepContext): string {
  return task.id.replace(/[^\w.-]/g, '').slice(0, 64);
}

const wordsMax = 40;

export function inlineCode(words: readonly string[]): string {
  const shown = words.slice(0, wordsMax).map((word) => `\`${cleanLine(word, 500)}\``);
  const more = words.length - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}

/** More than can ever be shown is not even cleaned. */
export const rawCharsMax = 300_000;
const tooLong = '[too long to be read whole]';

export function bounded(text: string): string {
  if (text.length <= rawCharsMax) return cleanText(text).trim();
  return `${cleanText(text.slice(0, rawCharsMax)).trim()}\n${tooLong}`;
}

/** Of a log the end says most. */
export function lastBounded(text: string, clean: (text: string) => string): string {
  if (text.length <= rawCharsMax) return clean(text).trim();
  return `${tooLong}\n${clean(text.slice(-rawCharsMax)).trim()}`;
}

export function taskWords({ task }: StepContext): string {
  const asked = bounded(task.content);
  const title = cleanLine(task.title);
  const story = task.user_story === undefined ? '' : `User story: ${bounded(task.user_story)}`;
  // A title of its own says something that the text may not.
  const heading = asked.startsWith(title.replace(/…$/, '')) ? '' : title;
  return [heading, asked, story].filter((part) => part !== '').join('\n\n');
}

export function criteriaWords({ task }: StepContext): string {
  return (task.acceptance_criteria ?? [])
    .map((text, index) => item(bounded(text), `${index + 1}. `))
    .join('\n');
}

/** Its later lines are indented, so that none of them looks like the next item. */
export function item(text: string, mark = '- '): string {
  return `${mark}${text.replace(/\n/g, `\n${' '.repeat(mark.length)}`)}`;
}

export function fileWords({ task }: StepContext): string {
  const lists: readonly (readonly [string, readonly string[] | undefined])[] = [
    ['Create', task.files_to_create],
    ['Modify', task.files_to_modify],
    ['Tests, which must pass:', task.test_files],
  ];
  return lists
    .flatMap(([label, files]) => (files ?? []).map((file) => `- ${label} ${inlineCode([file])}`))
    .join('\n');
}

export function ralphWords({ ralph }: StepContext): string {
  if (ralph === null) return '';
  return `This is round ${ralph.round} of at most ${ralph.max}. Each round begins in a fresh session and ends with the checks. What earlier rounds did is in the work tree: look at it first, and go on from there.`;
}

/** What could be read as findings, blockers first, and then the whole text: it may say more than they do. */
export function reviewWords({ review }: StepContext): string {
  if (review === null) return '';
  const { findings, text } = review;
  if (findings.length === 0) return bounded(text);
  const isBlocker = (finding: Finding) => finding.severity === 'blocker';
  const ordered = [...findings.filter(isBlocker), ...findings.filter((one) => !isBlocker(one))];
  const list = ordered.map((finding) => bounded(printFinding(finding))).join('\n');
  return `${list}\n\nThe whole review, with all that is no finding above:\n\n${bounded(text)}`;
}

export function earlierWords({ cycle, finding, answer }: EarlierFinding): string {
  const said = answer === null ? 'not answered' : `${answer.answer}: ${answer.evidence}`;
  const lines = [bounded(printFinding(finding)), `  - Review ${cycle}; answered: ${cleanLine(said, 2000)}`];
  return lines.join('\n');
}

export function commentWords({ author, file, line, text, fingerprint, about }: HumanComment): string {
  const place = file === null ? '' : ` on ${cleanLine(file)}${line === null ? '' : `:${line}`}`;
  const name = fingerprint === undefined ? '' : `[${cleanLine(fingerprint, 16)}] `;
  const on = about === undefined ? '' : `, about the finding ${cleanLine(about, 16)}`;
  return item(`${name}${cleanLine(author, 60)}${place}${on}:\n${bounded(text)}`);
}

export function dependencyWords(one: DependencyResult): string {
  const facts = [
    `${one.type}, ${cleanLine(one.status, 40)}`,
    one.branch === null ? '' : `branch ${cleanLine(one.branch)}`,
    one.commit === null ? '' : `commit ${cleanLine(one.commit, 64)}`,
  ];
  const head = `${cleanLine(one.id, 64)}: ${cleanLine(one.title)} (${facts.filter((fact) => fact !== '').join(', ')})`;
  return item([head, bounded(one.summary), bounded(one.text ?? '')].filter((part) => part !== '').join('\n'));
}
