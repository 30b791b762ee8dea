/**
 * Moves refs, all or none, each only from the value it is expected to have: the one way in which anything under
 * refs/ changes, but for the plain case that moveRefFiles does without git. Commands are fed whole behind
 * `start`: if this process dies half way, git rolls back.
 */

import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { GzaError } from '../../core/errors.ts';
import { type Git, type GitResult, gitFailure, unreadableRepository } from '../../git/git.ts';
import type { Repository } from '../../git/open-repository.ts';
import { rememberTips } from '../tips.ts';
import { removeStaleLocks } from './locks.ts';
import { localMirror } from './read-refs.ts';

export interface RefMove {
  readonly ref: string;
  /** Null deletes it. */
  readonly to: string | null;
  /** Null: it must not exist. */
  readonly from: string | null;
}

/** A ledger's ref and its mirror, which move together. `from`: what they hold now. */
export function ledgerMoves(
  namespace: string,
  branch: string,
  to: string | null,
  from: { readonly tip: string | null | undefined; readonly mirror: string | null | undefined },
): RefMove[] {
  return [
    { ref: `${namespace}/${branch}`, to, from: from.tip ?? null },
    { ref: `${localMirror}${branch}`, to, from: from.mirror ?? null },
  ];
}

/** `lost`: a ref had another value. `busy`: a lock was held. `unclear`: git did not live to answer. */
export type Moved = 'moved' | 'lost' | 'busy' | 'unclear';

export async function moveRefs(repository: Repository, moves: readonly RefMove[]): Promise<Moved> {
  const zero = '0'.repeat(repository.objectFormat === 'sha1' ? 40 : 64);
  const lines = moves.map(({ ref, to, from }) => {
    if (/[\0\n]/.test(ref)) throw new GzaError('input', `${JSON.stringify(ref)} is no name for a ref`);
    return to === null ? `delete ${ref}\0${from ?? ''}\0` : `update ${ref}\0${to}\0${from ?? zero}\0`;
  });
  const stdin = `start\0${lines.join('')}prepare\0commit\0`;
  // `-m` so that what reaches a reflog (state_ref under refs/heads) says who did it.
  // A symbolic ref under refs/tasks must not lead a write to a branch of code.
  const args = ['update-ref', '--no-deref', '-m', 'gza', '--stdin', '-z'];
  const result = await repository.git.run(args, { stdin, env: committer });
  if (result.code === 0) {
    rememberTips(repository.commonDir, moves);
    return 'moved';
  }
  return judge(repository, moves, args, result);
}

/** A reflog needs an identity; a missing user.name must not stop a ledger. */
const committer = {
  GIT_COMMITTER_NAME: process.env['GIT_COMMITTER_NAME'] || 'gza',
  GIT_COMMITTER_EMAIL: process.env['GIT_COMMITTER_EMAIL'] || 'gza@localhost',
};

function judge(repository: Repository, moves: readonly RefMove[], args: string[], result: GitResult): Moved {
  const { stderr } = result;
  if (result.code < 0) return 'unclear';
  if (/\.lock'?: File exists|Unable to create '[^']*\.lock'.*exists/s.test(stderr)) {
    removeStaleLocks(
      repository,
      moves.map((move) => move.ref),
    );
    return 'busy';
  }
  if (/\.lock': No such file or directory/.test(stderr)) return 'busy';
  if (/but expected|reference already exists|unable to resolve reference|reference is missing/.test(stderr))
    return 'lost';
  const conflict = /'([^']+)' exists; cannot create '([^']+)'/.exec(stderr);
  if (conflict) {
    throw new GzaError(
      'blocked',
      `${conflict[1]} is in the way of ${conflict[2]}: git keeps only one of them`,
      {
        hint: 'Fold or remove the first (`gza fsck --clean`), or use another branch name.',
        data: { inTheWay: conflict[1], ref: conflict[2] },
      },
    );
  }
  if (/Read-only file system|Permission denied/.test(stderr)) {
    throw new GzaError('world', `nothing was recorded: ${repository.commonDir} cannot be written`, {
      hint: 'Reading works; to record something, make the repository writable for you.',
      cause: stderr,
    });
  }
  throw unreadableRepository(result.stderr) ?? gitFailure(args, result);
}

/** Whether a commit is in the history of what a ref holds now: who won, when an answer was unclear. */
export async function holds(git: Git, ref: string, commit: string): Promise<boolean> {
  const result = await git.run(['merge-base', '--is-ancestor', commit, ref]);
  return result.code === 0;
}

/**
 * Moves refs that lie in files of their own as git does it: take every lock, compare every value, rename. Starting
 * git for it is a fifth of what `gza add` takes. Only the plain case, one ledger that exists and goes on: whatever
 * else there is (two that must move together even if this process is killed, one to create or to delete, a link, a
 * packed one, a held lock, a reflog) is left to git, with nothing changed. Null: git must be asked.
 */
export function moveRefFiles(
  { commonDir, objectsDir, unusualRefs }: Pick<Repository, 'commonDir' | 'objectsDir' | 'unusualRefs'>,
  moves: readonly RefMove[],
): Moved | null {
  const ledgers = moves.filter(({ ref }) => !ref.startsWith(localMirror));
  if (unusualRefs || moves.length > 2 || ledgers.length !== 1 || !moves.every(isPlain)) return null;
  const locked: string[] = [];
  let renamed = 0;
  try {
    for (const { ref, from, to } of moves) {
      if (existsSync(join(commonDir, 'logs', ref))) return null;
      const path = join(commonDir, ref);
      const lock = openSync(`${path}.lock`, 'wx');
      locked.push(path);
      writeAndClose(lock, `${to}\n`);
      const found = valueOf(path);
      if (found !== from) return found === null ? null : 'lost';
    }
    // A `git gc --prune=now` beside this may have taken it: git refuses to name what is not there.
    if (!moves.every(({ to }) => isLoose(objectsDir, to as string))) return null;
    for (const path of locked) {
      renameSync(`${path}.lock`, path);
      renamed += 1;
    }
    rememberTips(commonDir, moves);
    return 'moved';
  } catch {
    return renamed > 0 ? 'unclear' : null;
  } finally {
    for (const path of locked.slice(renamed)) rmSync(`${path}.lock`, { force: true });
  }
}

/** git keeps a reflog of branches, of what was fetched and of notes; only it knows how. */
function isPlain({ ref, to, from }: RefMove): boolean {
  const isLogged = /^refs\/(heads|remotes|notes)\//.test(ref);
  return to !== null && from !== null && !isLogged && /^refs\/[!-~]+$/.test(ref);
}

function isLoose(objectsDir: string, oid: string): boolean {
  return existsSync(join(objectsDir, oid.slice(0, 2), oid.slice(2)));
}

/** A full disk lets a file be made and not written: the lock is taken before. */
function writeAndClose(file: number, text: string): void {
  try {
    writeFileSync(file, text);
  } finally {
    closeSync(file);
  }
}

function valueOf(path: string): string | null {
  if (!lstatSync(path).isFile()) return null;
  const text = readFileSync(path, 'latin1');
  return /^([0-9a-f]{40}|[0-9a-f]{64})\n$/.test(text) ? text.trimEnd() : null;
}
