/**
 * The answer to a question about all tasks, kept until something that it was made from changes: a ledger, a task
 * file, the configuration, the words of the question, this program, or the end of a claim. An agent asks what is
 * ready far more often than the answer changes.
 */
import { type Cache, openCache } from '../cache.ts';
import type { Claim } from '../core/record.ts';
import type { LedgerView } from '../ledger/ledger.ts';
import type { Invocation, Outcome, Ports } from './command.ts';
import { type Opened, type Project, lookThrough, open } from './project.ts';

declare const __GZA_VERSION__: string | undefined;

interface Kept {
  /** When a claim that counts as alive ends; null when there is none. */
  readonly until: string | null;
  readonly outcome: Outcome;
}

/** Raised when the same inputs get another answer. */
const format = 1;

export async function answerOnce(
  name: string,
  invocation: Invocation,
  ports: Ports,
  answer: (project: Project) => Outcome,
): Promise<Outcome> {
  const opened = await open(ports);
  const view = await opened.ledger.view();
  const cache = openCache(opened.repository.commonDir);
  const key = keyOf(view, opened, invocation);
  // A warning must be given again each time.
  const known = view.problems.length === 0 ? keptAnswer(cache, name, key, ports.now()) : null;
  if (known) return known;
  const project = await lookThrough(view, opened, ports);
  const whole = answer(project);
  // One of the two is printed; keeping both would double the text.
  const outcome = invocation.options['json'] ? { ...whole, text: '' } : { ...whole, json: null };
  const kept: Kept = { until: endOfNextClaim(project.board.claims, project.board.now), outcome };
  if (view.problems.length === 0) cache.put(name, key, JSON.stringify(kept));
  return outcome;
}

function keyOf(
  view: LedgerView,
  { read, config, repository }: Opened,
  { args, options }: Invocation,
): string {
  const version = typeof __GZA_VERSION__ === 'undefined' ? 'source' : __GZA_VERSION__;
  const tips = view.branches.map((branch) => [branch, view.tip(branch)]);
  const ledgers = [config.state_ref, view.base, tips];
  return JSON.stringify([format, version, repository.workTree, read.identity, ledgers, args, options]);
}

function keptAnswer(cache: Cache, name: string, key: string, now: string): Outcome | null {
  const text = cache.get(name, key);
  if (text === null) return null;
  const { until, outcome } = JSON.parse(text) as Kept;
  return until === null || until > now ? outcome : null;
}

function endOfNextClaim(claims: readonly Claim[], now: string): string | null {
  const ends = claims.map(({ until }) => until).filter((until) => until > now);
  return ends.length === 0 ? null : ends.reduce((a, b) => (a < b ? a : b));
}
