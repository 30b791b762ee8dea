/**
 * What the agent of a step left, as plain data. Secrets are removed and every text is bounded. On a laptop
 * the same process concludes it; in CI it goes from the agent's machine to another one, as files.
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
  /** Tokens that `costUsd` does not cover, because their price is unknown. */
  readonly unpriced?: number | undefined;
  /** The date of the price table, if a part of the cost was computed from one. */
  readonly pricedAsOf?: string | undefined;
}

export interface Left {
  readonly task: string;
  readonly claim: string;
  readonly step: StepName;
  readonly started_at: string;
  readonly ended_at: string;
  /** Several runs, because a review may be asked twice. */
  readonly runs: readonly RunLeft[];
  /** The changes since the tree that the agent started from; null when no file changed. */
  readonly patch: Buffer | null;
  /** Why the patch is incomplete: it is too large, or holds a secret. */
  readonly too_large?: string | undefined;
  readonly skipped: CollectedPatch['skipped'];
  /** Subjects of the commits that the agent made itself. */
  readonly subjects: readonly string[];
  /** Files that a read-only step changed. The changes were discarded. */
  readonly discarded: readonly string[];
  /** Requests made with `git tasks`, as lines of JSON. */
  readonly spool: string;
  readonly spool_cut: boolean;
  /** Why the work could not be collected, if it could not. */
  readonly broken?: string | undefined;
  /** The log file, on the machine where the agent ran. */
  readonly log?: string | undefined;
}

export const leftMax = {
  runs: 4,
  /** Longer than any text that can approve, so a text cut to this length never approves. */
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
  // The structured answer if there is one, otherwise the plain text.
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

/** A single machine cannot block an agent for longer than this. */
const limitSecondsMax = 3600;

/**
 * Limits what another machine reports. Its times must lie between the claim and now and within the step's
 * time, its cost within the reserved budget, and its agent's usage limit within an hour.
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

/** An agent may print any number. An invalid one must not make the whole record unreadable. */
function bounded(number: number, max: number): number {
  return Number.isFinite(number) ? Math.min(Math.max(number, 0), max) : 0;
}

function isTime(text: string | undefined): text is string {
  return text !== undefined && !Number.isNaN(Date.parse(text));
}

/** The changed files of the agent's tree, with all texts bounded. */
export function filesLeft(collected: CollectedPatch) {
  const fit = (path: string) => path.slice(0, leftMax.path);
  return {
    patch: collected.kind === 'patch' ? collected.patch : null,
    ...(collected.kind === 'too-large' ? { too_large: collected.why.slice(0, leftMax.why) } : {}),
    skipped: collected.skipped.slice(0, leftMax.list).map(({ path, why }) => ({ path: fit(path), why })),
  };
}

/** Why an agent's work could not be used. `dir` is the clone. */
export function whyBroken(thrown: unknown, dir = '', secrets: readonly string[] = []): string {
  // Shortens paths to their end, which matters most, because lists cut long lines.
  const why = dir === '' ? whyFailed(thrown) : whyFailed(thrown).replaceAll(`${dir}/`, '');
  return redact(why, secrets).slice(0, leftMax.why);
}

/** A run that was stopped from outside counts as cancelled, not as failed. */
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

/** For a job whose agent did not run, or died before it wrote anything. */
export function emptyLeft(
  { id, claim, step }: Pick<StepJob, 'id' | 'claim' | 'step'>,
  times: Pick<Left, 'started_at' | 'ended_at'>,
  runs: Left['runs'],
): Left {
  return { task: id, claim, step, ...times, ...nothingLeft, runs };
}

/** Stands in for a run of which only the end is known. */
export function runWithout({ agent }: Pick<StepJob, 'agent'>, kind: ResultKind, error: string): RunLeft {
  return { agent: { name: agent }, kind, error, text: '', turns: 0, usage: null, costUsd: null };
}

/**
 * Removes secrets before anything leaves the agent's machine, because others can read the next job's
 * artifact, the branch and the pull request. Secrets are redacted in texts. A file that holds one is left
 * out of the patch, which is then refused with the reason.
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
  /** The patch without the files that hold secrets. */
  readonly patch: Buffer | null;
  /** Where the secrets were and of which kind, never their values. */
  readonly too_large: string;
}

function withoutFiles(bytes: Buffer, secrets: readonly string[]): Withheld | null {
  const patch = bytes.toString('latin1');
  const known = spellings(secrets);
  const { limits } = guardPolicy;
  const parsed = parsePatch(patch, limits);
  // The receiver refuses an unreadable patch. Until then it is searched as plain text.
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
  // Searches all lines together first: most files hold no secret, and some secrets span several lines.
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
 * Redacts each string of a spool by itself, because a secret inside JSON may run into the syntax around it.
 * One line more than the limit is kept, so that the reader sees that there were too many.
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
