import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GitOptions } from '../../git/git.ts';
import { type Identity } from '../../git/git.ts';
import type { Repository } from '../../git/open-repository.ts';

export interface CommitOptions {
  /** The parent of the new commit. */
  readonly onto: string;
  readonly message: string;
  readonly author: Identity;
  readonly committer?: Identity;
  readonly date: Date;
}

/** An index of its own, so that a tree can be made without anyone's index or work tree. */
export class ScratchIndex {
  readonly #repository: Repository;
  readonly #env: Readonly<Record<string, string>>;
  constructor(repository: Repository, file: string) {
    this.#repository = repository;
    this.#env = { GIT_INDEX_FILE: file };
  }

  run(args: readonly string[], options: GitOptions = {}) {
    return this.#repository.bareGit.run(args, { ...options, env: { ...this.#env, ...options.env } });
  }

  text(args: readonly string[], options: GitOptions = {}) {
    return this.#repository.bareGit.text(args, { ...options, env: { ...this.#env, ...options.env } });
  }

  commit(tree: string, options: CommitOptions): Promise<string> {
    const { author, committer = author, date, onto, message } = options;
    const when = `${Math.floor(date.getTime() / 1000)} +0000`;
    return this.text(['-c', 'i18n.commitEncoding=UTF-8', 'commit-tree', tree, '-p', onto, '-F', '-'], {
      stdin: message,
      env: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_AUTHOR_DATE: when,
        GIT_COMMITTER_NAME: committer.name,
        GIT_COMMITTER_EMAIL: committer.email,
        GIT_COMMITTER_DATE: when,
      },
    });
  }
}

export async function withScratchIndex<T>(
  repository: Repository,
  use: (index: ScratchIndex) => Promise<T>,
): Promise<T> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'gza-index-'));
  try {
    const file = path.join(scratch, `index-${randomBytes(4).toString('hex')}`);
    return await use(new ScratchIndex(repository, file));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
