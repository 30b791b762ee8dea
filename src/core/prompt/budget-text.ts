/**
 * Fits the parts of a prompt into a number of characters. What is required stays whole; the rest is taken in order
 * of use, each whole if it fits, else in its short form, else cut at a line from its least useful end. What is left
 * out is always said, with where to read it: an agent that does not know what it was not told invents it.
 */
export const promptCharsMax = 120_000;

export interface Section {
  readonly name: string;
  /** Empty sections are not shown. Already harmless: it is cut, not cleaned. */
  readonly text: string;
  readonly isRequired?: boolean;
  /** The end that is kept when it is cut. */
  readonly keep: 'start' | 'end';
  /** Its own bound, however much room there is. */
  readonly charsMax?: number;
  /** Stands for a text that does not fit whole. */
  readonly short?: string;
  /** Where the whole can be read; ends a sentence. */
  readonly where: string;
  /** Puts a label and a fence around it. */
  readonly wrap: (text: string) => string;
}

export interface Fitted {
  readonly texts: ReadonlyMap<string, string>;
  /** Sections not shown whole. */
  readonly cut: readonly string[];
}

/** `sections` stand in order of use. Over the limit only if what is required alone is. */
export function fitSections(sections: readonly Section[], charsMax: number): Fitted {
  const texts = new Map<string, string>();
  const cut: string[] = [];
  let left = charsMax;
  for (const section of sections) {
    if (!section.isRequired || section.text === '') continue;
    const text = section.wrap(section.text);
    texts.set(section.name, text);
    left -= text.length;
  }
  const optional = sections.filter((section) => !section.isRequired && section.text !== '');
  // Room to say of every later one that it was left out.
  let reserved = optional.reduce((sum, section) => sum + noteChars(section), 0);
  for (const section of optional) {
    reserved -= noteChars(section);
    const room = Math.max(left - reserved, Math.min(left, noteChars(section)));
    const { text, isWhole } = fit(section, Math.min(room, section.charsMax ?? room));
    texts.set(section.name, text);
    if (!isWhole) cut.push(section.name);
    left -= text.length;
  }
  return { texts, cut };
}

interface Fit {
  readonly text: string;
  readonly isWhole: boolean;
}

function fit(section: Section, charsMax: number): Fit {
  if (section.text.length <= charsMax) {
    const whole = section.wrap(section.text);
    if (whole.length <= charsMax) return { text: whole, isWhole: true };
  }
  const short = section.short ?? section.text;
  const isShort = section.short !== undefined && section.short.length <= charsMax;
  if (isShort) {
    const text = `${section.wrap(short)}\n${shortNote(section)}`;
    if (text.length <= charsMax) return { text, isWhole: false };
  }
  return { text: cutLines({ ...section, text: short }, charsMax), isWhole: false };
}

/** As many whole lines as fit. */
function cutLines(section: Section, charsMax: number): string {
  const note = leftOutNote(section);
  const lines = section.text.split('\n');
  const ordered = section.keep === 'start' ? lines : lines.toReversed();
  const print = (count: number): string => {
    const kept = ordered.slice(0, count);
    const text = (section.keep === 'start' ? kept : kept.toReversed()).join('\n');
    return `${section.wrap(text)}\n${cutNote(section, count)}`;
  };
  let [low, high] = [0, Math.min(linesWithin(ordered, charsMax), lines.length - 1)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (print(middle).length <= charsMax) low = middle;
    else high = middle - 1;
  }
  if (low > 0) return print(low);
  return note.length <= charsMax ? note : '';
}

function linesWithin(lines: readonly string[], charsMax: number): number {
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    chars += line.length + 1;
    if (chars > charsMax) return index;
  }
  return lines.length;
}

function leftOutNote({ where }: Section): string {
  return `[Left out for length. Read it: ${where}.]`;
}

function shortNote({ where }: Section): string {
  return `[Too long to show. Read it: ${where}.]`;
}

function cutNote({ keep, where }: Section, count: number): string {
  const lines = `${count} line${count === 1 ? '' : 's'}`;
  return `[${keep === 'start' ? `Cut after ${lines}` : `Only the last ${lines}`}. Read the rest: ${where}.]`;
}

function noteChars(section: Section): number {
  return leftOutNote(section).length;
}
