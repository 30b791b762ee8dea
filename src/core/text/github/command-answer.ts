/**
 * The reply to a comment with commands. It is posted when the first command begins or fails, and edited in
 * place after that. A hidden mark names the comment that it answers.
 */
import { bodyCharsMax } from '../../markdown/body-block.ts';
import {
  type CommandProblem,
  type CommentVerb,
  commandsMax,
  commentVerbs,
  guidanceCharsMax,
} from '../../markdown/parse-comment-commands.ts';
import type { Decision } from '../../policy/decide.ts';
import type { Task } from '../../task/task.ts';
import { decisionWords } from '../decision-words.ts';
import { docsUrl } from '../doctor/home.ts';
import { codeText, idText, inlineText } from './inline-text.ts';
import { printTable } from './pull-story.ts';

export type AnswerKind = 'working' | 'done' | 'refused' | 'failed';

export interface CommandOutcome {
  /** As it was written, without the slash: `improve use a map`. */
  readonly command: string;
  readonly kind: AnswerKind;
  /** One sentence; may contain untrusted text. */
  readonly text: string;
  /** Trusted Markdown that follows: the answer to status, why and help. */
  readonly details?: string;
}

export interface Answer {
  /** Null when it answers no comment. */
  readonly commentId: number | null;
  readonly outcomes: readonly CommandOutcome[];
  readonly problems: readonly CommandProblem[];
}

const marks: Record<AnswerKind, string> = { working: '⏳', done: '✅', refused: '🚫', failed: '❌' };

function answerMark(commentId: number): string {
  return `<!-- gza:answer ${commentId} -->`;
}

/** The id of the comment that this reply by gza answers, or null. */
export function answeredComment(text: string): number | null {
  const found = /^<!-- gza:answer (\d{1,15}) -->$/m.exec(text)?.[1];
  return found === undefined ? null : Number(found);
}

export function printAnswer({ commentId, outcomes, problems }: Answer): string {
  const lines = [
    ...outcomes.map(
      ({ command, kind, text }) =>
        `- ${marks[kind]} ${codeText(`gza ${command}`, 60)}: ${inlineText(text, 500)}`,
    ),
    ...problems
      .slice(0, commandsMax + 1)
      .map((problem) => `- ❓ Line ${problem.line}: ${problemText(problem)}`),
  ];
  const details = outcomes.flatMap((outcome) => outcome.details ?? []);
  const text = [lines.join('\n'), ...details].filter((part) => part !== '').join('\n\n');
  const mark = commentId === null ? '' : `\n\n${answerMark(commentId)}`;
  // Leaves room for a mark that the caller may add.
  const room = bodyCharsMax - mark.length - 200;
  const kept =
    text.length <= room
      ? text
      : `${lines.join('\n').slice(0, room - 60)}\n\nThe rest does not fit; \`gza status\` prints it.`;
  return kept + mark;
}

/** What is wrong with a line that looks like a command, and what to do. */
function problemText({ kind, word, near }: CommandProblem): string {
  const code = codeText(`gza ${word}`.trim(), 60);
  switch (kind) {
    case 'unknown':
      return near
        ? `there is no command ${code}. Did you mean \`/gza ${near}\`?`
        : `there is no command ${code}. \`/gza help\` lists them all.`;
    case 'hidden-characters':
      return 'it holds characters that cannot be seen or only look like Latin letters, so it was not obeyed. Type it again by hand.';
    case 'doubtful':
      return 'it stands right under a quote or in code that is never closed, so it may not be your own words. Put an empty line before it and comment again.';
    case 'no-text':
      return 'it does not say what to add. Example: `/gza add "Write the docs"`';
    case 'guidance-cut':
      return `its guidance is longer than ${guidanceCharsMax} characters; the rest was left out.`;
    case 'too-many':
      return `a comment may hold ${commandsMax} commands; from this line on none was read. Comment again with the rest.`;
    case 'too-long':
      return 'the comment is longer than GitHub allows; nothing after this line was read.';
  }
}

export type CommandRefusal =
  | { readonly kind: 'no-permission'; readonly needed: string; readonly has: string }
  | { readonly kind: 'not-allowed-here'; readonly where: string }
  | { readonly kind: 'bot' }
  | { readonly kind: 'fork' }
  | { readonly kind: 'no-task' }
  | { readonly kind: 'edited' }
  | { readonly kind: 'from-form' }
  | { readonly kind: 'closed'; readonly how: 'merged' | 'closed' };

/** Why gza refuses a person's command. */
export function refusalText(refusal: CommandRefusal): string {
  switch (refusal.kind) {
    case 'no-permission':
      return `it needs ${refusal.needed} access to this repository, and you have ${refusal.has}. Someone who has it can comment the same.`;
    case 'not-allowed-here':
      return `it has no meaning here: comment it on ${refusal.where}.`;
    case 'bot':
      return 'commands of bots are taken only from those that gza.yaml names by id.';
    case 'fork':
      return 'the branch is in a fork, where gza never writes. A review works; for the rest, push the branch to this repository.';
    case 'no-task':
      return 'no task of gza works here. On an issue, /gza work makes a task of it; with a checklist in the description, also on a pull request, one of each open box.';
    case 'edited':
      return 'the text was changed after the command, so nothing was taken from it. Read it, and say it again.';
    case 'from-form':
      return 'the label came with the issue, as forms add them, so nobody asked for anything. Read the issue, and comment /gza work, or set the label again.';
    case 'closed':
      return refusal.how === 'merged'
        ? 'the pull request is merged: nothing is left to do. /gza add files what should follow.'
        : 'the pull request is closed, and a closing is final. /gza reopen takes it up again.';
  }
}

const whyRowsMax = 30;

/** The answer to `/gza why`: the rule that matched each task, the facts behind it, what would change it. */
export function whyAnswer(decisions: readonly Decision[], isTask: (id: string) => boolean): string {
  if (decisions.length === 0) return 'Nothing is left to decide here.';
  const left = decisions.length - whyRowsMax;
  const rows = decisions.slice(0, whyRowsMax).map(({ task, rule, because, change }) => {
    const said = [because, change].map((text) =>
      decisionWords(text, isTask).replaceAll(/(?<!\\)\|/g, String.raw`\|`),
    );
    return [idText(task), rule, ...said];
  });
  const table = printTable(['Task', 'Rule', 'Because', 'Would change it'], rows);
  return left > 0 ? `${table}\n\n… and ${left} more.` : table;
}

const meanings: Record<CommentVerb, string> = {
  improve: '`[guidance]` change the work as said, or as the last review asks',
  review: 'review the branch as it is now',
  work: 'hand the branch to gza: open boxes of the description become tasks, an issue without boxes is one task, or the work goes on',
  retry: 'do what failed again, in a fresh session',
  resume: 'go on where it stopped, in the same session where the agent can; also ends a pause',
  approve: '`[reason]` approve a plan, or the work as it is',
  merge: 'merge it, and what it stands on, as soon as it can be; only as it is now',
  skip: '`[reason]` it was done elsewhere: what waits for it may start',
  stop: 'stop what runs now; what was done is kept',
  pause:
    'start nothing more here until `/gza resume`; `/gza pause all` holds every task, until `/gza resume all`',
  reopen: 'take up again what was closed',
  rebase: 'put the branch on top of its base',
  split: 'make several smaller tasks of this one',
  add: '`"…"` file a new task',
  status: 'what is done, what runs, what waits',
  why: 'the rule that decides what happens next',
  help: 'this list',
};

export function commandHelp(): string {
  return [
    printTable(
      ['Comment', 'What it does'],
      commentVerbs.map((verb) => [`\`/gza ${verb}\``, meanings[verb]]),
    ),
    '',
    'A command stands at the start of a line, outside of quotes and code. What follows it, up to an empty line, is its guidance. A task can be named: `/gza retry task-1a2b`.',
  ].join('\n');
}

export const whoMayCommandMark = '<!-- gza:who-may-command -->';

/** `needed`: command → the access that it needs, according to gza.yaml. */
export function whoMayCommand(needed: Readonly<Record<string, string>>): string {
  const more = Object.entries(needed)
    .filter(([, role]) => role !== 'write')
    .map(([verb, role]) => `${codeText(verb, 20)} needs ${role} access`);
  const except = more.length > 0 ? ` (${more.join(', ')})` : '';
  return [
    `👎 means that a command was not obeyed: gza takes commands from people with write access to this repository${except}. One of them can comment the same. \`commands\` in \`gza.yaml\` on the default branch says [who may give which](${docsUrl('github.md')}#commands).`,
    'This is said once in a conversation; later ones get the 👎 alone.',
    whoMayCommandMark,
  ].join('\n\n');
}

export function splitAnswer(segments: readonly Task[]): string {
  return segments
    .map(({ id, title, depends_on: after = [] }, at) => {
      const waits = after.length > 0 ? `, after ${after.map(idText).join(', ')}` : '';
      return `${at + 1}. ${idText(id)}: ${inlineText(title, 120)}${waits}`;
    })
    .join('\n');
}
