/** What gza understood of a checklist that it was handed, before it begins. */
import { type Handover, handedMax } from '../checklist-handover.ts';
import { inlineText } from './inline-text.ts';
import { count } from './lists.ts';

export type HandoverPlace = 'pull request' | 'issue';

const shownMax = 50;

/** `ids` are the tasks that were filed, by the keys of their boxes. */
export function handoverText(
  handover: Handover,
  ids: ReadonlyMap<string, string>,
  place: HandoverPlace,
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
    left > 0
      ? `A checklist is taken up to ${handedMax} open boxes: ${left} more wait. Comment \`/gza work\` again when these are done.`
      : '',
    'Each box is ticked with the commit that did it; your text is not changed otherwise. `/gza stop` ends it, `/gza why` says what happens next.',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}
