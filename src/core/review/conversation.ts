/**
 * What people said on a pull request, as points that an improve answers. Only those with write access are heard; a
 * thread that was resolved is over, and what was answered once is not sent again until someone says more.
 */
import * as z from 'zod';
import { readMarkdown } from '../markdown/markdown-lines.ts';
import { parseCommentCommands } from '../markdown/parse-comment-commands.ts';
import { isRecord } from '../shape.ts';
import { findJson } from './find-json.ts';
import type { FindingAnswer } from './finding.ts';
import { fnv1a64 } from './same-finding.ts';

type PointKind = 'line' | 'comment' | 'review';

/** One text in a thread. */
export interface Said {
  readonly id: number;
  readonly author: string;
  /** gza's own account wrote it. */
  readonly isOurs: boolean;
  readonly isBot: boolean;
  readonly text: string;
}

/** A thread on a line; a comment or the text of a review is one of a single text. */
export interface Thread {
  readonly kind: PointKind;
  readonly file: string | null;
  readonly line: number | null;
  readonly isResolved: boolean;
  /** gza's own tidying: nobody settled anything by it. */
  readonly isResolvedByGza?: boolean;
  /** Its name in GraphQL. */
  readonly nodeId?: string;
  /** Oldest first, at least one. */
  readonly said: readonly Said[];
}

/** What an improve must answer: known by its text, so that an edited comment is a new one. */
interface PersonPoint {
  readonly fingerprint: string;
  readonly kind: PointKind;
  /** Of the comment to reply to. */
  readonly id: number;
  readonly author: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly text: string;
  /** Fingerprint of the finding of gza's that the thread is about. */
  readonly about?: string;
}

export interface PeopleSaid {
  readonly points: readonly PersonPoint[];
  /** Findings of gza's whose threads were resolved. */
  readonly settled: readonly string[];
}

export const pointsMax = 40;
export const pointCharsMax = 2_000;
export const settledMax = 200;

const findingMark = /<!-- gza:finding ([0-9a-f]{16}) -->/;
const answeredMark = /<!-- gza:answered ([0-9a-f ]{16,2000}) -->/g;

export function answersMark(fingerprints: readonly string[]): string {
  return `<!-- gza:answered ${fingerprints.join(' ')} -->`;
}

/** Fingerprints that gza's own texts answer. */
export function answeredIn(threads: readonly Thread[]): Set<string> {
  const ours = threads.flatMap(({ said }) => said).filter(({ isOurs }) => isOurs);
  return new Set(
    ours.flatMap(({ text }) =>
      [...text.matchAll(answeredMark)].flatMap((match) => (match[1] ?? '').split(' ')),
    ),
  );
}

/** Whose permission must be asked, each once. */
export function speakers(threads: readonly Thread[]): string[] {
  return [...new Set(threads.flatMap(({ said }) => said.filter(isPerson).map(({ author }) => author)))];
}

export function peopleSaid(
  threads: readonly Thread[],
  mayWrite: (author: string) => boolean,
  answered: ReadonlySet<string>,
): PeopleSaid {
  const settled = threads.flatMap((thread) =>
    thread.isResolved && thread.isResolvedByGza !== true ? (findingOf(thread) ?? []) : [],
  );
  const known = new Set([...answered, ...answeredIn(threads)]);
  const points = threads
    .flatMap((thread) => (thread.isResolved ? [] : (pointOf(thread, mayWrite) ?? [])))
    .filter(({ fingerprint }) => !known.has(fingerprint));
  return { points: points.slice(-pointsMax), settled: [...new Set(settled)].slice(-settledMax) };
}

const tidiedMax = 50;

export interface Outdated {
  /** Names of reviews that a later one takes the place of. */
  readonly reviews: readonly string[];
  /** Threads on findings that it does not find any more. */
  readonly threads: readonly { readonly nodeId: string; readonly fingerprint: string }[];
}

/** What of gza's own a new review makes old. A thread in which a person has the last word, or that a person opened again, stays. */
export function outdatedIn(
  threads: readonly Thread[],
  found: ReadonlySet<string>,
  resolvedBefore: ReadonlySet<string>,
): Outdated {
  const open = threads.filter(({ isResolved, said }) => !isResolved && said.at(-1)?.isOurs === true);
  const reviews = open.filter(
    ({ kind, said }) => kind === 'review' && said[0]?.text.includes('<!-- gza:review '),
  );
  return {
    reviews: reviews.flatMap(({ nodeId }) => nodeId ?? []).slice(-tidiedMax),
    threads: open
      .flatMap((thread) => {
        const fingerprint = findingOf(thread);
        const { nodeId } = thread;
        const isOver = fingerprint !== null && !found.has(fingerprint) && !resolvedBefore.has(fingerprint);
        return isOver && nodeId !== undefined ? [{ nodeId, fingerprint }] : [];
      })
      .slice(-tidiedMax),
  };
}

function isPerson({ isOurs, isBot }: Said): boolean {
  return !isOurs && !isBot;
}

/** What people said since gza answered in the thread. */
function pointOf(thread: Thread, mayWrite: (author: string) => boolean): PersonPoint | null {
  const { kind, file, line, said } = thread;
  const last = said.findLastIndex(({ isOurs, text }) => isOurs && text.includes('<!-- gza:answered '));
  const heard = said
    .slice(last + 1)
    .filter((one) => isPerson(one) && mayWrite(one.author))
    .map((one) => ({ ...one, text: withoutCommands(one.text) }))
    .filter((one) => one.text !== '');
  const latest = heard.at(-1);
  if (!latest) return null;
  const text = heard.map((one) => one.text).join('\n\n');
  const about = findingOf(thread);
  return {
    fingerprint: fnv1a64(`${kind}:${latest.id}\n${text}`),
    kind,
    id: said[0]?.id ?? latest.id,
    author: latest.author,
    file,
    line,
    text: text.length > pointCharsMax ? `${text.slice(0, pointCharsMax).toWellFormed()}\n[cut]` : text,
    ...(about === null ? {} : { about }),
  };
}

/** Commands, and what was meant as one, are answered as such, each with the lines up to the next empty one. */
export function withoutCommands(text: string): string {
  const { commands, problems } = parseCommentCommands(text);
  const starts = new Set([...commands, ...problems].map(({ line }) => line));
  let isCommand = false;
  const rest = text.split(/\r\n|\r|\n/).filter((line, at) => {
    isCommand = starts.has(at + 1) || (isCommand && line.trim() !== '');
    return !isCommand;
  });
  return rest.join('\n').trim();
}

function findingOf({ kind, said }: Thread): string | null {
  const root = said[0];
  return kind === 'line' && root?.isOurs === true ? (findingMark.exec(root.text)?.[1] ?? null) : null;
}

const answersKept = 300;

const shape = z.strictObject({
  fingerprint: z.string().regex(/^[0-9a-f]{16}$/),
  kind: z.enum(['line', 'comment', 'review']),
  id: z.int().min(0),
  author: z.string().max(200),
  gist: z.string().max(200),
  answer: z.enum(['fixed', 'disputed']),
  evidence: z.string().max(4000),
  commit: z.string().regex(/^[0-9a-f]{40,64}$/),
});
export type PersonAnswer = Readonly<z.infer<typeof shape>>;

/** What improves answered to people, kept in the ledger: asked again, a comment that was answered is not sent. */
export function personAnswersPath(id: string): string {
  return `reviews/${id}-people.md`;
}

export function readPersonAnswers(text: string): PersonAnswer[] {
  const found: PersonAnswer[] = [];
  for (const block of findJson(readMarkdown(text), text, 'people')) {
    const list = block.kind === 'json' && isRecord(block.value) ? block.value['people'] : null;
    for (const one of Array.isArray(list) ? list.slice(-answersKept) : []) {
      const parsed = shape.safeParse(one);
      if (parsed.success) found.push(parsed.data);
    }
  }
  return found;
}

export function printPersonAnswers(answers: readonly PersonAnswer[]): string {
  const list = answers.slice(-answersKept);
  return `\`\`\`json\n${JSON.stringify({ people: list }, null, 2)}\n\`\`\`\n`;
}

/** The points that an improve answered, with the commit that holds its answer. */
export function answersToPeople(
  points: readonly PersonPoint[],
  answers: readonly FindingAnswer[],
  commit: string,
): PersonAnswer[] {
  return points.flatMap(({ fingerprint, kind, id, author, text }) => {
    const said = answers.find((one) => one.fingerprint === fingerprint);
    if (!said) return [];
    const gist = (text.split('\n').find((line) => line.trim() !== '') ?? '').slice(0, 200).toWellFormed();
    const evidence = said.evidence.slice(0, 4000).toWellFormed();
    return [{ fingerprint, kind, id, author, gist, answer: said.answer, evidence, commit }];
  });
}
