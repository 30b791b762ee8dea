/** Lines of the board for what GitHub refused. They disappear when GitHub accepts it again. */
import type { GzaError } from '../../errors.ts';
import { type Trap, trapText } from '../doctor/trap-texts.ts';
import { codeText, inlineText } from './inline-text.ts';

export function trapNotice(trap: Trap, more = ''): string {
  const { happened, kept, next } = trapText(trap);
  return `- **${happened}** ${kept}<br>${next.join('; ')}.${more === '' ? '' : ` ${more}`}`;
}

/** One refusal by GitHub. `on`: the branch concerned, or the missing permission. */
export function errorNotice(on: string, message: string, hint: string | undefined): string {
  return `- ${codeText(on)}: **${inlineText(message, 400)}**${hint ? `<br>${inlineText(hint, 400)}` : ''}`;
}

interface MissingText {
  readonly permission: string;
  readonly message: string;
  readonly hint: string;
}

function missingTexts(errors: readonly GzaError[]): MissingText[] {
  const permissionOf = ({ data }: GzaError) => String(data['permission']);
  return [...new Set(errors.map(permissionOf))].map((permission) => {
    const of = errors.filter((error) => permissionOf(error) === permission);
    const not = [...new Set(of.map(({ data }) => String(data['operation'])))];
    const message = `The token lacks the permission ${permission}, so gza could not ${not.join(', nor ')}.`;
    return { permission, message, hint: of[0]?.hint ?? '' };
  });
}

export function missingWarnings(errors: readonly GzaError[]): string[] {
  return missingTexts(errors).map(({ message, hint }) => `${message} ${hint}`);
}

/** The missing permissions as lines of the board. */
export function missingNotices(errors: readonly GzaError[]): string[] {
  return missingTexts(errors).map(({ permission, message, hint }) => errorNotice(permission, message, hint));
}

export function missingSummary(errors: readonly GzaError[]): string {
  return `#### The token lacks permissions\n\n${missingNotices(errors).join('\n')}\n`;
}

const workflowFile = /create or update workflow `?([^\s`]+)`?/i;

export function pushRefusal(branch: string, said: string): string {
  return `${whyAndWhat(branch, said)} It said: ${said}`;
}

function whyAndWhat(branch: string, said: string): string {
  const file = workflowFile.exec(said)?.[1];
  if (file !== undefined)
    return `the token of this job may not push workflow files (${file}): it lacks the scope \`workflow\`, which only the token of a GitHub App or of a person can have. Take them out of the task, land them by hand, or give the workflow such a token.`;
  if (/rule violations|GH013/i.test(said))
    return `a ruleset of this repository forbids the push to ${branch}: let GitHub Actions past it, or give the task another \`branch\`.`;
  if (/protected branch|GH006/i.test(said))
    return `${branch} is protected: let GitHub Actions push to it, or give the task another \`branch\`.`;
  return `the host did not take ${branch}.`;
}
