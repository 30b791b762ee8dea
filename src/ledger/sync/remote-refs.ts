/**
 * Ledgers on a remote. They are fetched into a namespace of their own, never into refs/tasks. They are pushed
 * all or none, each only over the value that was fetched.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { GzaError } from '../../core/errors.ts';
import type { GitResult } from '../../git/git.ts';
import { PorcelainError, porcelain } from '../../git/porcelain.ts';
import { listRefs } from '../../git/refs.ts';
import { removeStaleLocks } from '../store/locks.ts';
import type { RefMove } from '../store/refs.ts';
import type { Store } from '../store/store.ts';

export interface RemoteOptions {
  readonly remote: string;
  /** For CI: fetches only the newest commit of every ledger, no history. */
  readonly shallow?: boolean | undefined;
}

/** For one fetch or push. */
const timeoutMs = 120_000;

/** `refs/gza/<remote>/tasks/`: what a remote held when it was last seen. */
export function trackingPrefix(remote: string): string {
  const name = remote.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^[.-]+|\.+$|\.lock$/g, '') || 'remote';
  // These names belong to the mirrors and backups of this clone.
  const taken = name === 'local' || name === 'backup';
  return `refs/gza/${taken ? `${name}-remote` : name}/tasks/`;
}

/** branch → commit, as last fetched or pushed. */
export async function trackedTips(store: Store, remote: string): Promise<Map<string, string>> {
  const prefix = trackingPrefix(remote);
  const rows = await listRefs(store.repository, [prefix.slice(0, -1)]);
  return new Map(rows.map(({ ref, oid }) => [ref.slice(prefix.length), oid]));
}

/** Whether the remote was ever seen to hold ledgers. If so, a claim must be accepted there. */
export async function remoteHasLedgers(store: Store, remote: string): Promise<boolean> {
  return (await trackedTips(store, remote)).size > 0;
}

export async function fetchLedgers(
  store: Store,
  { remote, shallow }: RemoteOptions,
  depth = shallow ? 1 : undefined,
): Promise<void> {
  const options = [
    '--quiet',
    '--no-filter',
    '--prune',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    // Without it, a person's own refspec for refs/tasks would move refs/tasks as well.
    '--refmap=',
    ...(depth ? [`--depth=${depth}`] : []),
  ];
  const refspec = `+${store.namespace}/*:${trackingPrefix(remote)}*`;
  for (let tries = 1; ; tries++) {
    const result = await fetchOnce(store, [...options, '--', remote, refspec]);
    if (result === null) return;
    // With a depth, git exits with 1 and prints nothing if the remote has no such ref at all.
    if (depth && result.code === 1 && result.stderr.trim() === '') {
      if ((await trackedTips(store, remote)).size === 0) return;
      return fetchLedgers(store, { remote }, undefined);
    }
    if (passing.test(result.stderr) && tries < passingTriesMax) {
      await wait(500 * 2 ** (tries - 1));
      continue;
    }
    const isBusy = /cannot lock ref|\.lock': File exists|shallow file has changed/.test(result.stderr);
    if (!isBusy || tries >= fetchTriesMax) throw networkFailure('fetch', remote, result);
    // Another process of this clone is fetching too, or was killed while it did.
    const refs = [...(await trackedTips(store, remote)).keys()].map(
      (name) => `${trackingPrefix(remote)}${name}`,
    );
    removeStaleLocks(store.repository, [...refs, 'shallow']);
    await new Promise((resolve) => setTimeout(resolve, tries * 100 * Math.random() + tries * 50));
  }
}

/** Fetches once. Null if that succeeded, else what git answered. */
async function fetchOnce({ git }: Store, options: string[]): Promise<GitResult | null> {
  try {
    await porcelain(git.cwd, (fetching) => fetching.fetch(options), { timeoutMs });
    return null;
  } catch (error) {
    if (error instanceof PorcelainError) return error.result;
    throw error;
  }
}

const fetchTriesMax = 12;
/** Failures that may be over in a second: a landing job that gave up would lose an agent's work. */
const passing =
  /RPC failed|hung up|early EOF|returned error: (429|5\d\d)|bad line length|still expected|not valid: is this a git repo|reset by peer|Empty reply/i;
const passingTriesMax = 3;

export interface PushMove {
  readonly branch: string;
  /** Null removes it. */
  readonly to: string | null;
  /** The value that the remote is expected to hold; null: none. */
  readonly from: string | null;
}

/** `lost`: the remote refused. `unclear`: it may have accepted. */
export type Pushed = 'pushed' | 'lost' | 'unclear';

export async function pushLedgers(
  store: Store,
  options: RemoteOptions,
  moves: readonly PushMove[],
): Promise<Pushed> {
  const refs = moves.map(({ branch, to, from }) => ({ ref: `${store.namespace}/${branch}`, to, from }));
  const pushed = await pushRefs(store, options, refs);
  if (pushed.kind === 'refused') throw refusedByHost(store, options.remote, pushed.why);
  return pushed.kind;
}

export type PushedRefs =
  | { readonly kind: Pushed }
  /** The host refuses this, and would refuse it the next time, too. */
  | {
      readonly kind: 'refused';
      /** The refs that it named; nothing is known of the others. */
      readonly refs: readonly string[];
      readonly why: string;
      readonly said: string;
    };

/**
 * Moves refs of the remote, ledgers and branches together, all or none, each only from the named value. It
 * does not use porcelain.ts: whether the push was accepted, lost, refused or is unclear follows from each
 * line of the answer and from how git ended, and work that is saved after Ctrl-C is pushed here.
 */
export async function pushRefs(
  store: Store,
  { remote }: RemoteOptions,
  moves: readonly RefMove[],
): Promise<PushedRefs> {
  const args = [
    'push',
    '--porcelain',
    '--quiet',
    '--atomic',
    '--no-verify',
    '--no-follow-tags',
    '--no-signed',
    '--recurse-submodules=no',
    ...moves.map(({ ref, from }) => `--force-with-lease=${ref}:${from ?? ''}`),
    '--',
    remote,
    ...moves.map(({ ref, to }) => `${to ?? ''}:${ref}`),
  ];
  const result = await store.git.run(args, { timeoutMs });
  if (result.code === 0) return { kind: 'pushed' };
  const said = `${result.stdout.toString('utf8')}\n${result.stderr}`;
  const reasons = [...said.matchAll(/^!\t[^\t]*:([^\t:]*)\t\[([^\]]+)\](?: \((.*)\))?$/gm)].map(
    ([, ref = '', kind = '', why = '']) => ({ ref, kind, why }),
  );
  const refused = reasons.filter(({ kind, why }) => kind === 'remote rejected' && !isRace(why));
  const [first] = refused;
  if (first)
    return { kind: 'refused', refs: refused.map(({ ref }) => ref), why: first.why, said: remoteWords(said) };
  if (reasons.length > 0) return { kind: 'lost' };
  if (result.code < 0 || /unexpected disconnect|hung up|early EOF|unpack-objects abnormal/i.test(said))
    return { kind: 'unclear' };
  throw networkFailure('push', remote, result);
}

const remoteLinesMax = 12;

/** The host's own message, for people. */
function remoteWords(said: string): string {
  const lines = [...said.matchAll(/^remote: ?(.*)$/gm)].map(([, line = '']) => line.trim());
  return lines.filter(Boolean).slice(0, remoteLinesMax).join('\n');
}

function isRace(why: string): boolean {
  return /stale info|fetch first|non-fast-forward|failed to update ref|incorrect old value|already exists|cannot lock|unable to lock|failed to lock|atomic (push|transaction)|transaction failed|reference conflict/i.test(
    why,
  );
}

function refusedByHost(store: Store, remote: string, why: string): GzaError {
  return new GzaError('world', `${remote} refuses ${store.namespace}/*: ${why}`, {
    hint: 'Some hosts take branches only. Set `state_ref: refs/heads/gza-state` in gza.yaml to keep ledgers there, or allow the refs on the host.',
    data: { remote, why },
  });
}

function networkFailure(verb: 'fetch' | 'push', address: string, { code, stderr }: GitResult): GzaError {
  // The address may hold a password, which git hides too.
  const remote = address.replace(/(?<=:\/\/)[^/@\s]*@/, '');
  const said = stderr.trim().split('\n').slice(-6).join('\n');
  if (/does not appear to be a git repository|No such remote|'.*' does not exist/i.test(said)) {
    const hint = 'See `git remote -v`. Without a remote, everything works in this repository alone.';
    if (said.includes(`'${remote}' does not appear`))
      return new GzaError('input', `there is no remote ${remote}`, { hint });
    return new GzaError('world', `${remote} cannot be reached: ${said.split('\n')[0]}`, { hint });
  }
  const [, what, hint] = failures.find(([shape]) => shape.test(said)) ?? otherFailure;
  return new GzaError('world', what(remote, verb, said || 'it said nothing'), {
    hint,
    data: { remote, exitCode: code },
  });
}

type Failure = readonly [
  shape: RegExp,
  what: (remote: string, verb: string, said: string) => string,
  hint: string,
];

const failedPlainly: Failure[1] = (remote, verb, said) =>
  `git ${verb} of the ledgers of ${remote} failed: ${said}`;

const failures: readonly Failure[] = [
  [
    /repository was archived/i,
    (remote, verb) => `${remote} is archived: it takes no ${verb}`,
    'Unarchive it in its settings, and `gza sync` sends what was recorded here.',
  ],
  [
    /Authentication failed|could not read (Username|Password)|Invalid username or token/i,
    (remote, verb, said) => `${remote} does not accept the token of this ${verb}: ${said}`,
    "A job's token ends with the job, on a runner of your own after 24 hours; a person's may be expired or revoked. Nothing that was recorded here is lost: the next pick, or `gza sync`, goes on.",
  ],
  [
    /returned error: 403|Permission to \S+ denied|Write access to repository not granted/i,
    (remote, verb, said) => `${remote} does not let you ${verb}: ${said}`,
    'On GitHub Actions the job needs `contents: write` below `permissions:`; elsewhere a token or a key that may write.',
  ],
  [
    /bad object|is corrupt|all necessary objects/,
    failedPlainly,
    'An object of this repository is missing or damaged, so git does not go on: `gza fsck` says what to do.',
  ],
];
const otherFailure: Failure = [
  /^/,
  failedPlainly,
  'Nothing that was recorded here is lost; `gza sync` tries again.',
];
