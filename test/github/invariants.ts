/**
 * What must hold after any run, whatever went wrong in it: `expect(await brokenInvariants(github)).toEqual([])`.
 * These are GitHub's side of the promises; what the ledgers promise is checked where ledgers are known.
 */
import type { Github } from './github.ts';
import { bot, isPull, type State } from './state.ts';

export interface InvariantOptions {
  /** Whose writing is looked at; default the bot. */
  readonly author?: string;
  /** Branches that may be rewritten: a rebase leaves commits behind on purpose. */
  readonly mayBeRewritten?: (ref: string) => boolean;
}

export async function brokenInvariants(github: Github, options: InvariantOptions = {}): Promise<string[]> {
  const { state } = github;
  const author = options.author ?? bot.login;
  return [
    ...(await lostCommits(github, options)),
    ...doublePulls(state),
    ...doubleWords(state, author),
    ...leakedTokens(state),
    ...unfinishedRuns(state),
  ];
}

/** Every commit that a push brought to a branch can still be reached from some ref. */
async function lostCommits({ state, data }: Github, { mayBeRewritten }: InvariantOptions): Promise<string[]> {
  const broken: string[] = [];
  const brought = state.pushes.filter((one) => one.ref.startsWith('refs/heads/') && !/^0+$/.test(one.new));
  for (const push of brought) {
    if (mayBeRewritten?.(push.ref)) continue;
    const holders = await data.git.text([
      'for-each-ref',
      '--count=1',
      `--contains=${push.new}`,
      '--format=%(refname)',
    ]);
    if (!holders)
      broken.push(`commit ${push.new}, pushed to ${push.ref} by ${push.login}, can no longer be reached`);
  }
  return broken;
}

function doublePulls(state: State): string[] {
  const open = state.issues
    .filter(isPull)
    .filter((one) => one.state === 'open')
    .map((one) => one.pull.head.ref);
  return repeated(open).map((ref) => `${ref} has more than one open pull request`);
}

/** The same words twice in one place: a step that was retried and did not look. */
function doubleWords(state: State, author: string): string[] {
  const mine = <T extends { author: string }>(list: readonly T[]) =>
    list.filter((one) => one.author === author);
  const comments = mine(state.comments).map((one) => `comment on #${one.issue}: ${one.body}`);
  const reviews = mine(state.reviews)
    .filter((one) => one.body !== '')
    .map((one) => `review of #${one.pull} at ${one.commit}: ${one.body}`);
  const inline = mine(state.reviewComments).map(
    (one) => `finding on #${one.issue} ${one.path}:${one.line}: ${one.body}`,
  );
  const issues = mine(state.issues.filter((one) => !one.pull && one.state === 'open')).map(
    (one) => `issue: ${one.title}`,
  );
  return repeated([...comments, ...reviews, ...inline, ...issues]).map(
    (text) => `said twice: ${text.slice(0, 200)}`,
  );
}

function leakedTokens(state: State): string[] {
  const text = JSON.stringify([
    state.issues,
    state.comments,
    state.reviews,
    state.reviewComments,
    state.statuses,
  ]);
  return Object.keys(state.tokens)
    .filter((secret) => text.includes(secret))
    .map(() => 'a token stands in what everyone can read');
}

function unfinishedRuns(state: State): string[] {
  return state.runs
    .filter((run) => run.status !== 'completed' || run.conclusion === 'startup_failure')
    .map((run) =>
      `run ${run.id} of ${run.workflow} is ${run.status} ${run.conclusion ?? ''} ${run.message ?? ''}`.trim(),
    );
}

function repeated(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((text, at) => texts.indexOf(text) !== at))];
}
