/** What is said of lines in the body of a review, where it cannot stand on the lines themselves. */
export interface PlacedComment {
  readonly path: string;
  readonly line: number;
  readonly body: string;
}

export interface ReviewBody {
  readonly text: string;
  /** For these there was no room. */
  readonly dropped: number;
}

const heading = '#### On lines outside the diff';
const tail = (count: number) =>
  `\n\n_${count} more did not fit here; the ledger of this branch has them all, under \`reviews/\`._`;

/** At most `charactersMax`; what has no room is counted, and said. */
export function reviewBody(body: string, rest: readonly PlacedComment[], charactersMax: number): ReviewBody {
  const room = charactersMax - tail(rest.length).length;
  const head = body.length <= room ? body : `${body.slice(0, room - 2).replace(/[\ud800-\udbff]$/, '')}\n…`;
  let text = head;
  let printed = 0;
  for (const one of rest) {
    const item = printComment(one);
    const more = `${printed === 0 ? `\n\n${heading}\n` : ''}\n${item}`;
    if (text.length + more.length > room) break;
    text += more;
    printed += 1;
  }
  const dropped = rest.length - printed;
  return { text: dropped > 0 ? text + tail(dropped) : text, dropped };
}

/** A list item; what follows its first line stays inside it. */
function printComment({ path, line, body }: PlacedComment): string {
  const place = `${path}:${line}`.replaceAll('`', "'").replaceAll(/[\r\n]+/g, ' ');
  return `- \`${place}\`: ${body.trim().replaceAll('\n', '\n  ')}`;
}
