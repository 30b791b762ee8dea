/**
 * What a step's agent left: plain data, with secrets out of it and a bound for each text. On a laptop it is concluded
 * in the same process; in CI it crosses from the agent's machine to another one, as files.
 */

import type { AgentRun } from '../agents/run-agent.ts';
import { guardPolicy } from '../core/guard/guard-patch.ts';
import { type FileChange, keepChanges, parsePatch } from '../core/guard/parse-patch.ts';
import { findSecrets, namedSecret } from '../core/guard/secrets.ts';
import type { StepName } from '../core/ledger/record/record.ts';
import { tokensOf, type Usage } from '../core/policy/cost.ts';
import type { ResultKind } from '../core/policy/endings.ts';
import { isRecord } from '../core/shape.ts';
import { spoolLinesMax } from '../core/spool/spool.ts';
import { whyFailed } from '../core/system-error.ts';
import { structuredReview } from '../core/text/review.ts';
import { addSeconds } from '../core/time.ts';
import { withinDeadline } from '../system/outside.ts';
import { holdsSecret, redact, spellings } from '../system/redacted-log.ts';
import type { CollectedPatch } from '../workspace/patch/collect-patch.ts';
import { measureBinaries } from '../workspace/patch/import-patch.ts';
import type { StepJob } from './engine.ts';

/** How one run of the agent ended, and what it answered. */
export interface RunLeft {
  readonly agent: { readonly name: string; readonly version?: string | undefined };
  readonly kind: ResultKind;
  readonly text: string;
  readonly error?: string | undefined;
  readonly resetAt?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly turns: number;
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  /** Tokens that are not in it: nobody knows their price. */
  readonly unpriced?: number | undefined;
  /** The day of the price table that a part of it comes from. */
  readonly pricedAsOf?: string | undefined;
}

export interface Left {
  readonly task: string;
  readonly claim: string;
  readonly step: StepName;
  readonly started_at: string;
  readonly ended_at: string;
  /** A review may be asked twice. */
  readonly runs: readonly RunLeft[];
  /** The tree, against the one that the agent was shown; null when it changed no file. */
  readonly patch: Buffer | null;
  /** Why not all of the tree is in the patch: it does not fit, or holds a secret. */
  readonly too_large?: string | undefined;
  readonly skipped: CollectedPatch['skipped'];
  /** Of the commits that the agent made for itself. */
  readonly subjects: readonly string[];
  /** What a step that may only look has changed, which is thrown away. */
  readonly discarded: readonly string[];
  /** What it said with `git tasks`, as lines of JSON. */
  readonly spool: string;
  readonly spool_cut: boolean;
  /** Why what it left could not be taken, when that was so. */
  readonly broken?: string | undefined;
  /** On the machine where it ran. */
  readonly log?: string | undefined;
}

export const leftMax = {
  runs: 4,
  /** More than a text that can approve may have: one that is cut here never does. */
  text: 1_000_000,
  error: 100_000,
  word: 200,
  list: 200,
  path: 5_000,
  subject: 500,
  why: 2_000,
  count: 1e12,
  dollars: 100_000,
} as const;

export function runLeft({ result, agent }: AgentRun, secrets: readonly string[]): RunLeft {
  const { kind, turns, usage, costUsd, unpriced = {}, pricedAsOf, error, resetAt, sessionId } = result;
  const clean = (text: string, max: number) =>
    withinDeadline('what the agent said', () => redact(text, secrets).slice(0, max));
  const count = (number: number) => bounded(number, leftMax.count);
  const tokens = count(Object.values(unpriced).reduce((sum, one) => sum + tokensOf(one), 0));
  // The answer in words, or the structured one that it was held to.
  const answer = isRecord(result.structured) ? structuredReview(result.structured, result.text) : result.text;
  return {
    agent: { name: agent.name.slice(0, leftMax.word), version: agent.version?.slice(0, leftMax.word) },
    kind,
    text: clean(answer, leftMax.text),
    error: error === undefined ? undefined : clean(error, leftMax.error),
    resetAt: isTime(resetAt) ? new Date(resetAt).toISOString() : undefined,
    sessionId: sessionId?.slice(0, leftMax.word),
    turns: count(turns),
    usage: usage && {
      input: count(usage.input),
      cachedInput: count(usage.cachedInput),
      output: count(usage.output),
      reasoning: count(usage.reasoning),
    },
    costUsd: costUsd === null ? null : bounded(costUsd, leftMax.dollars),
    ...(tokens > 0 ? { unpriced: tokens } : {}),
    ...(pricedAsOf === undefined ? {} : { pricedAsOf }),
  };
}

/** No agent is held back for longer because one machine says so. */
const limitSecondsMax = 3600;

/**
 * What another machine says, kept within what is known here: its times between the claim and now and no longer than
 * the step had, its dollars within what was reserved for it, its agent's limit within the hour.
 */
export function boundedLeft(
  left: Left,
  { budgetUsd = leftMax.dollars, timeoutMinutes }: Pick<StepJob, 'budgetUsd' | 'timeoutMinutes'>,
  { from, now }: { readonly from: string; readonly now: string },
): Left {
  const within = (time: string, least: string, most: string) => {
    const iso = new Date(time).toISOString();
    return iso < least ? least : iso > most ? most : iso;
  };
  const started_at = within(left.started_at, from, now);
  const latest = addSeconds(started_at, timeoutMinutes * 60);
  const ended_at = within(left.ended_at, started_at, latest < now ? latest : now);
  let rest = budgetUsd;
  const runs = left.runs.map((run) => {
    const costUsd = run.costUsd === null ? null : Math.min(run.costUsd, rest);
    rest -= costUsd ?? 0;
    const { resetAt } = run;
    const until = resetAt && { resetAt: within(resetAt, now, addSeconds(now, limitSecondsMax)) };
    return { ...run, costUsd, ...until };
  });
  return { ...left, started_at, ended_at, runs };
}

/** An agent may print any number; one that is none must not make all of it unreadable. */
function bounded(number: number, max: number): number {
  return Number.isFinite(number) ? Math.min(Math.max(number, 0), max) : 0;
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text));
}

/** The files of an agent's tree, as they are left. */
export function filesLeft(collected: CollectedPatch) {
  const fit = (path: string) => path.slice(0, leftMax.path);
  return {
    patch: collected.kind === 'patch' ? collected.patch : null,
    ...(collected.kind === 'too-large' ? { too_large: collected.why.slice(0, leftMax.why) } : {}),
    skipped: collected.skipped.slice(0, leftMax.list).map(({ path, why }) => ({ path: fit(path), why })),
  };
}

/** Why what an agent left could not be taken; `dir`: the clone. */
export function whyBroken(thrown: unknown, dir = '', secrets: readonly string[] = []): string {
  // What matters is at the end of a path, and lists cut long lines.
  const why = dir === '' ? whyFailed(thrown) : whyFailed(thrown).replaceAll(`${dir}/`, '');
  return redact(why, secrets).slice(0, leftMax.why);
}

/** Who was stopped from outside did not fail. */
export function brokenLeft(left: Left, broken: string, { aborted }: AbortSignal): Left {
  const runs = aborted ? left.runs.map((run) => ({ ...run, kind: 'cancelled' as const })) : left.runs;
  return { ...left, runs, broken };
}

export const nothingLeft = {
  patch: null,
  skipped: [],
  subjects: [],
  discarded: [],
  spool: '',
  spool_cut: false,
} as const;

/** Of a job whose agent did not run, or died before it could write anything. */
export function emptyLeft(
  { id, claim, step }: Pick<StepJob, 'id' | 'claim' | 'step'>,
  times: Pick<Left, 'started_at' | 'ended_at'>,
  runs: Left['runs'],
): Left {
  return { task: id, claim, step, ...times, ...nothingLeft, runs };
}

/** In the place of a run that nobody can tell anything of but its end. */
export function runWithout({ agent }: Pick<StepJob, 'agent'>, kind: ResultKind, error: string): RunLeft {
  return { agent: { name: agent }, kind, error, text: '', turns: 0, usage: null, costUsd: null };
}

/**
 * What an agent left goes to where others can read it: the next job's artifact, a branch, a pull request. Before it
 * leaves the agent's machine, secrets that this machine knows or recognises are taken out of its texts, and a file
 * that holds one is left out of the patch, which is then refused with the reason.
 */
const namedMax = 20;

export function withholdSecrets(left: Left, secrets: readonly string[]): Left {
  const clean = (text: string, max: number) => redact(text, secrets).slice(0, max);
  const withheld = left.patch === null ? null : withoutFiles(left.patch, secrets);
  const { too_large, broken } = left;
  return {
    ...left,
    runs: left.runs.map((run) => ({
      ...run,
      text: clean(run.text, leftMax.text),
      error: run.error === undefined ? undefined : clean(run.error, leftMax.error),
    })),
    subjects: left.subjects.map((subject) => clean(subject, leftMax.subject)),
    discarded: left.discarded.map((path) => clean(path, leftMax.path)),
    skipped: left.skipped.map((one) => ({ ...one, path: clean(one.path, leftMax.path) })),
    spool: redactSpool(left.spool, secrets),
    ...(too_large === undefined ? {} : { too_large: clean(too_large, leftMax.why) }),
    ...(broken === undefined ? {} : { broken: clean(broken, leftMax.why) }),
    ...(withheld === null ? {} : withheld),
  };
}

interface Withheld {
  /** What is left of it. */
  readonly patch: Buffer | null;
  /** Where and of which kind, never the value. */
  readonly too_large: string;
}

function withoutFiles(bytes: Buffer, secrets: readonly string[]): Withheld | null {
  const patch = bytes.toString('latin1');
  const known = spellings(secrets);
  const { limits } = guardPolicy;
  const parsed = parsePatch(patch, limits);
  // What cannot be read is refused by whoever gets it; until then it is a text.
  if (parsed.kind === 'unreadable') {
    return kindIn(patch, known) === null ? null : { patch: null, too_large: 'the patch holds a secret' };
  }
  const measured = measureBinaries(patch, parsed.changes, limits);
  const inside = measured.kind === 'measured' ? measured.files : new Map<string, { readonly text: string }>();
  const found = new Map<FileChange, string>();
  for (const change of parsed.changes) {
    const why = whyOf(change, inside.get(change.path)?.text ?? '', known);
    if (why !== null) found.set(change, why);
  }
  if (found.size === 0) return null;
  const rest = parsed.changes.filter((change) => !found.has(change));
  const kept = rest.length > 0 ? Buffer.from(keepChanges(patch, rest), 'latin1') : null;
  return { patch: kept, too_large: [...found.values()].slice(0, namedMax).join('\n').slice(0, leftMax.why) };
}

function whyOf(change: FileChange, binary: string, known: readonly string[]): string | null {
  const inName = kindIn(Buffer.from(change.path).toString('latin1'), known);
  if (inName !== null) return `the name of a file holds ${inName}`;
  const inBinary = kindIn(binary, known);
  if (inBinary !== null) return `${change.path}: holds ${inBinary} inside a binary file`;
  // All at once first: most files hold none, and some values have several lines.
  const all = change.addedLines.map(({ text }) => text).join('\n');
  if (kindIn(all, known) === null) return null;
  const line = change.addedLines.find(({ text }) => kindIn(text, known) !== null);
  const kind = kindIn(line?.text ?? all, known);
  return `${change.path}: line ${line?.line ?? change.addedLines[0]?.line} holds ${kind}`;
}

function kindIn(text: string, known: readonly string[]): string | null {
  if (text === '') return null;
  if (holdsSecret(text, known)) return 'the value of a secret that this machine has';
  const [found] = findSecrets(text);
  return found ? `what looks like ${namedSecret(found)}` : null;
}

/**
 * Each text in a spool by itself: a secret inside JSON may end where the JSON goes on. One line more than is read
 * stays, so that the reader sees that there were too many.
 */
export function redactSpool(text: string, secrets: readonly string[]): string {
  const lines: string[] = [];
  let kept = 0;
  for (const line of text.split('\n')) {
    const isEmpty = line.trim() === '';
    if (!isEmpty && ++kept > spoolLinesMax + 1) break;
    lines.push(isEmpty ? '' : redactLine(line, secrets));
  }
  return lines.join('\n');
}

function redactLine(line: string, secrets: readonly string[]): string {
  try {
    const clean = (_key: string, value: unknown) =>
      typeof value === 'string' ? redact(value, secrets) : value;
    return JSON.stringify(JSON.parse(line), clean);
  } catch {
    return redact(line, secrets);
  }
}
