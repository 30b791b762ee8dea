/**
 * What an agent reports during a step: `git tasks add/note/done` append lines to a file, and the engine files
 * them afterwards. The agent can write anything into that file, so each line is judged as if a stranger had
 * sent it:
 *
 * 1. It may concern only its own lane: notes on its tasks, and `done` for the task of its run and for the
 *    checklist of that task.
 * 2. What it files has a text and `after` (and `parent`, for a checklist), and nothing that widens its power.
 * 3. Everything is bounded. Refused lines are reported by number, so that nothing is lost in silence.
 */
import { fnv1a64 } from '../review/same-finding.ts';
import { readSpoolLine, type SpoolLine } from './spool-line.ts';

export const spoolBytesMax = 1 << 20;
export const spoolLinesMax = 500;
const refusedMax = 100;

export interface SpoolOptions {
  readonly runTask: string;
  /** Tasks of its lane, whether or not the task of the run is among them. */
  readonly laneTasks: ReadonlySet<string>;
  /** Children of the run's task, which is its checklist. */
  readonly checklist?: ReadonlySet<string>;
  /** Ids in use anywhere. */
  readonly idsKnown: ReadonlySet<string>;
  /** How many more tasks agents may file below its root task. */
  readonly capLeft: number;
  /** The file was longer than what was read. */
  readonly isCut?: boolean;
}

export interface SpooledAdd {
  readonly id: string;
  /** The id that the agent was shown; `id` differs only if that one was taken meanwhile. */
  readonly ref: string;
  readonly content: string;
  readonly after: readonly string[];
  /** The run's task, for an item of its checklist. */
  readonly parent: string | null;
}

export interface SpoolReading {
  readonly adds: readonly SpooledAdd[];
  readonly notes: readonly { readonly id: string; readonly text: string }[];
  /** The agent reports the run's task as done. */
  readonly believedDone: boolean;
  /** Items of the checklist that it reports as done. */
  readonly checked: readonly string[];
  /** Why it cannot go on; this ends the step with an outcome of its own. */
  readonly blocked: string | null;
  readonly refused: readonly Refused[];
}

export const nothingSaid: SpoolReading = {
  adds: [],
  notes: [],
  believedDone: false,
  checked: [],
  blocked: null,
  refused: [],
};

/** `line` counts from 1; 0 stands for the whole file. */
export interface Refused {
  readonly line: number;
  readonly why: string;
}

export function parseSpool(text: string, options: SpoolOptions): SpoolReading {
  const reader = new SpoolReader(options);
  const isCut = options.isCut === true || text.length > spoolBytesMax;
  if (isCut) reader.refuse(0, `the spool is longer than ${spoolBytesMax} bytes: the rest was not read`);
  const lines = text.slice(0, spoolBytesMax).split('\n');
  let read = 0;
  // The last line was cut through, so it is not read.
  for (const [index, line] of (isCut ? lines.slice(0, -1) : lines).entries()) {
    if (line.trim() === '') continue;
    if (++read > spoolLinesMax) {
      reader.refuse(index + 1, `there are more than ${spoolLinesMax} lines: the rest was not read`);
      break;
    }
    const reading = readSpoolLine(line);
    const why = reading.kind === 'refused' ? reading.why : reader.take(reading);
    if (why !== null) reader.refuse(index + 1, why);
  }
  return reader.reading();
}

class SpoolReader {
  readonly #options: SpoolOptions;
  readonly #adds: SpooledAdd[] = [];
  readonly #notes: { id: string; text: string }[] = [];
  readonly #checked = new Set<string>();
  readonly #refused: Refused[] = [];
  /** Id that the agent was shown → id of the task. */
  readonly #names = new Map<string, string>();
  #believedDone = false;
  #blocked: string | null = null;

  constructor(options: SpoolOptions) {
    this.#options = options;
  }

  reading(): SpoolReading {
    return {
      adds: this.#adds,
      notes: this.#notes,
      believedDone: this.#believedDone,
      checked: [...this.#checked],
      blocked: this.#blocked,
      refused: this.#refused,
    };
  }

  refuse(line: number, why: string): void {
    if (this.#refused.length < refusedMax) this.#refused.push({ line, why });
  }

  /** Null if the line was accepted, else why not. */
  take(line: SpoolLine): string | null {
    if (line.kind === 'add') return this.#add(line);
    const { runTask, laneTasks, checklist } = this.#options;
    const id = this.#names.get(line.id) ?? line.id;
    if (line.kind === 'note') {
      const isOwn = id === runTask || laneTasks.has(id) || checklist?.has(id) || this.#names.has(line.id);
      if (!isOwn) return `a note on ${id}, which is no task of this lane`;
      this.#notes.push({ id, text: line.text });
      if (id === runTask) this.#blocked ??= blockedReason(line.text);
      return null;
    }
    const isItem = checklist?.has(id) || this.#adds.some((add) => add.id === id && add.parent !== null);
    if (id !== runTask && !isItem) return `done for ${id}: only ${runTask} is this run's to end`;
    if (line.note !== null) this.#notes.push({ id, text: line.note });
    if (id === runTask) this.#believedDone = true;
    else this.#checked.add(id);
    return null;
  }

  #add({ content, after, ref, parent }: SpoolLine & { kind: 'add' }): string | null {
    const { runTask, idsKnown, capLeft } = this.#options;
    if (this.#adds.length >= Math.max(0, capLeft)) {
      return `no more tasks may be filed by agents under this task (${Math.max(0, capLeft)} were left)`;
    }
    if (this.#names.has(ref)) return `${ref} was added before`;
    if (parent !== null && parent !== runTask)
      return `a part may be added to ${runTask} only, not to ${parent}`;
    const unknown = after.find((id) => !this.#names.has(id) && !idsKnown.has(id));
    if (unknown !== undefined) return `after: ${unknown} is not known`;
    if (parent !== null && after.includes(parent)) return `a part of ${parent} cannot wait for ${parent}`;
    const isTaken = (one: string) => idsKnown.has(one) || this.#adds.some((add) => add.id === one);
    const id = isTaken(ref) ? shortestFree(fnv1a64(`${ref}\n${content}`), isTaken) : ref;
    if (id === null) return `no free id was found for ${ref}`;
    const waitsFor = [...new Set(after.map((one) => this.#names.get(one) ?? one))];
    this.#names.set(ref, id);
    this.#adds.push({ id, ref, content, after: waitsFor, parent });
    return null;
  }
}

/** What follows `blocked:` at the beginning of a note; null for any other note. */
export function blockedReason(note: string): string | null {
  const match = /^\s*blocked:\s*([\s\S]*)$/i.exec(note);
  if (match === null) return null;
  return match[1]?.trim() || 'no reason was given';
}

const digitsMax = 16;

/** The id that the command prints at once. The engine files the task under it, unless it is taken by then. */
export function provisionalId(
  content: string,
  nonce: string,
  isTaken: (id: string) => boolean,
): string | null {
  return shortestFree(fnv1a64(`${nonce}\n${content}`), isTaken);
}

function shortestFree(hash: string, isTaken: (id: string) => boolean): string | null {
  for (let digits = 4; digits <= digitsMax; digits += 1) {
    const id = `task-${hash.slice(0, digits)}`;
    if (!isTaken(id)) return id;
  }
  return null;
}
