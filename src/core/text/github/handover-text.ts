/** The reply to a checklist that gza was asked to work on: what it understood, before it begins. */
import { type Handover, handedMax, isWhole } from '../../markdown/checklist-handover.ts';
import { fenceAsData } from '../../markdown/neutralise.ts';
import { count } from '../terminal/lines.ts';
import { idText, inlineText } from './inline-text.ts';

export type HandoverPlace = 'pull request' | 'issue';

const shownMax = 50;

export interface HandoverWords {
  readonly place: HandoverPlace;
  /** Number of open boxes that were added after the command. */
  readonly unused?: number;
  /** Tasks whose boxes were edited after the tasks were filed. */
  readonly stale?: readonly string[];
}

/** `ids`: key of a box → id of the task that was filed for it. */
export function handoverText(
  handover: Handover,
  ids: ReadonlyMap<string, string>,
  { place, unused = 0, stale = [] }: HandoverWords,
): string {
  const { tasks, done, left } = handover;
  if (tasks.length === 0) {
    return done > 0
      ? `Every box of the checklist is ticked already (${done}): nothing is left to do.`
      : `There is no open box in the description of this ${place}. Add lines like \`- [ ] Write the docs\`, then comment \`/gza work\` again.`;
  }
  const depths = new Map<string, number>();
  const lines = tasks.slice(0, shownMax).map(({ key, text, parent }) => {
    const depth = parent === null ? 0 : (depths.get(parent) ?? 0) + 1;
    depths.set(key, depth);
    const id = ids.get(key);
    return `${'   '.repeat(Math.min(depth, 6))}1. ${id ? `\`${id}\`: ` : ''}${inlineText(text, 120)}`;
  });
  const where =
    place === 'pull request' ? 'on this branch' : 'on a new branch, with a pull request of its own';
  return [
    `I understood ${count(tasks.length, 'task')}, done in this order ${where}:`,
    lines.join('\n'),
    tasks.length > shownMax ? `… and ${tasks.length - shownMax} more.` : '',
    done === 0 ? '' : done === 1 ? 'One box was ticked already.' : `${done} boxes were ticked already.`,
    unused > 0
      ? `The text was changed after the command, and ${count(unused, 'task')} of it ${unused === 1 ? 'is' : 'are'} not taken. Read it, and comment \`/gza work\` again.`
      : '',
    stale.length > 0
      ? `Filed from an earlier text, which still counts: ${stale.slice(0, shownMax).map(idText).join(', ')}. \`/gza skip\` drops a task.`
      : '',
    left > 0
      ? `A checklist is taken up to ${handedMax} open boxes: ${left} more wait. Comment \`/gza work\` again when these are done.`
      : '',
    [
      tasks.some(({ key }) => isWhole(key))
        ? ''
        : 'Each box is ticked with the commit that did it; your text is not changed otherwise.',
      place === 'issue' ? 'Merging the pull request into the default branch closes this issue.' : '',
      '`/gza stop` ends it, `/gza why` says what happens next.',
    ]
      .filter((part) => part !== '')
      .join(' '),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

export interface HandedText {
  readonly place: HandoverPlace;
  readonly number: number;
  /** Empty when unknown. */
  readonly title: string;
  readonly body: string;
  /** Comments by people with write access. */
  readonly said: readonly { readonly author: string; readonly text: string }[];
}

/** The limit for all tasks of one text together. While there are few, each task holds the whole text. */
const textCharsMax = 400_000;
const textOfTaskMax = 70_000;

/**
 * The content of a filed task: its box or the title, then the description and the comments, fenced as data.
 */
export function handedContent(
  text: string,
  { isBox, tasks }: { readonly isBox: boolean; readonly tasks: number },
  { place, number, title, body, said }: HandedText,
): string {
  const room = Math.min(textOfTaskMax, Math.floor(textCharsMax / tasks));
  const from = isBox
    ? `A box of the checklist of ${place} #${number}${title && `: ${title}`}`
    : `From ${place} #${number}; its description says what is wanted.`;
  const comments = said.map(({ author, text: words }) => `${author}: ${words}`).join('\n\n');
  return [
    text,
    from,
    body.trim() === '' ? '' : fenceAsData(cut(body.trim(), room), `Description of ${place} #${number}`),
    comments === '' ? '' : fenceAsData(cut(comments, room), 'Said there, by people with write access'),
  ]
    .filter((part) => part !== '')
    .map((part) => part.trimEnd())
    .join('\n\n');
}

function cut(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  return `${text.slice(0, charsMax).toWellFormed()}\n[${text.length - charsMax} characters more]`;
}
