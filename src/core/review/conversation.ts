/**
 * Collects people's comments on a pull request as points for the next improve to answer. Only comments by
 * people with write access count. Resolved threads are skipped, and so are answered ones until someone adds a
 * comment.
 */
import * as z from 'zod';
import { readMarkdown } from '../markdown/markdown-lines.ts';
import { closingWords } from '../markdown/neutralise.ts';
import { parseCommentCommands } from '../markdown/parse-comment-commands.ts';
import { isRecord } from '../shape.ts';
import { findJson } from './find-json.ts';
import type { FindingAnswer } from './finding.ts';
import { fnv1a64 } from './same-finding.ts';
import { readVerdictLine } from './verdict-line.ts';

type PointKind = 'line' | 'comment' | 'review';

/** One comment in a thread. */
export interface Said {
  readonly id: number;
  readonly author: string;
  /** Written by gza's own account. */
  readonly isOurs: boolean;
  readonly isBot: boolean;
  readonly text: string;
}

/** A thread on a line. A plain comment, or the text of a review, is a thread with a single text. */
export interface Thread {
  readonly kind: PointKind;
  readonly file: string | null;
  readonly line: number | null;
  readonly isResolved: boolean;
  /** gza resolved it to tidy up, so it does not settle the finding. */
  readonly isResolvedByGza?: boolean;
  /** Its node id in GraphQL. */
  readonly nodeId?: string;
  /** Oldest first, at least one. */
  readonly said: readonly Said[];
}

/** A point that an improve must answer. It is identified by its text, so an edited comment is a new point. */
interface PersonPoint {
  readonly fingerprint: string;
  readonly kind: PointKind;
  /** Id of the comment to reply to. */
  readonly id: number;
  readonly author: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly text: string;
  /** Fingerprint of gza's finding that the thread is about. */
  readonly about?: string;
}

export interface PeopleSaid {
  readonly points: readonly PersonPoint[];
  /** Findings by gza whose threads people resolved. */
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

/** Fingerprints that gza's own comments mark as answered. */
export function answeredIn(threads: readonly Thread[]): Set<string> {
  const ours = threads.flatMap(({ said }) => said).filter(({ isOurs }) => isOurs);
  return new Set(
    ours.flatMap(({ text }) =>
      [...text.matchAll(answeredMark)].flatMap((match) => (match[1] ?? '').split(' ')),
    ),
  );
}

/** The people whose permission must be checked, without duplicates. */
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
  /** Node ids of reviews that a later review replaces. */
  readonly reviews: readonly string[];
  /** Threads on findings that the later review no longer has. */
  readonly threads: readonly { readonly nodeId: string; readonly fingerprint: string }[];
}

/**
 * gza's own reviews and threads that a new review makes outdated. A thread stays if a person wrote last in it
 * or reopened it.
 */
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

/** The comments of people since gza's last answer in the thread. */
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

/**
 * Removes commands and failed attempts at one, with the lines up to the next empty line. They are answered as
 * commands.
 */
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

/**
 * The ledger's file with improves' answers to people. It keeps an answered comment from being sent to an
 * agent again.
 */
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

/** The answers of an improve to people's points, with the commit of that improve. */
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

export interface ReviewWords {
  /** One or two paragraphs; empty when there are none. */
  readonly summary: string;
  readonly lookedAt: readonly string[];
  /** Keyed by the criterion's number in the task, from 1. */
  readonly criteria: ReadonlyMap<number, { readonly met: boolean; readonly evidence: string }>;
}

const summaryCharsMax = 1_500;
const entriesMax = 50;

export function reviewWords(text: string): ReviewWords {
  const markdown = readMarkdown(text);
  const blocks = findJson(markdown, text, 'summary', 'looked_at', 'criteria');
  const block = blocks.findLast((one) => one.kind === 'json');
  const value = block?.kind === 'json' && isRecord(block.value) ? block.value : {};
  const criteria = listOf(value['criteria']).flatMap((one) => {
    if (!isRecord(one) || typeof one['number'] !== 'number' || typeof one['met'] !== 'boolean') return [];
    return [[one['number'], { met: one['met'], evidence: textOf(one['evidence']).slice(0, 500) }] as const];
  });
  const own = textOf(value['summary']).trim();
  const prose = markdown.lines.filter(({ isFenced, text: line }) => !isFenced && !/^\s*[{}[\]]/.test(line));
  return {
    summary: closingWords(own === '' ? paragraphs(prose) : own, summaryCharsMax),
    lookedAt: listOf(value['looked_at'])
      .map(textOf)
      .filter((one) => one.trim() !== ''),
    criteria: new Map(criteria),
  };
}

/** The first paragraphs, up to the first heading, list or table, where the findings begin. */
function paragraphs(lines: readonly { readonly text: string }[]): string {
  const kept: string[] = [];
  for (const { text } of lines) {
    const line = text.replace(/^\s{0,3}> ?/, '').trim();
    const isList = /^(?:[-*+]|\d{1,3}[.)])\s|^\|/.test(line);
    if (isList && kept.some((one) => one !== '')) break;
    const isOther =
      isList || line.startsWith('#') || /^nonce\b/i.test(line) || readVerdictLine(line) !== null;
    if (!isOther) kept.push(line);
  }
  return kept.join('\n');
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.slice(0, entriesMax) : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
