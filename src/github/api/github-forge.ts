import { type ClientOptions, githubClient } from './client/client.ts';
import type { ForgeRead, ForgeWrite } from './forge.ts';
import { githubRead } from './read.ts';
import { githubWrite } from './write.ts';

export interface GithubForgeOptions extends ClientOptions {
  /**
   * Whose token it is, as REST writes it: `my-app[bot]` for an App. A job's own token may not ask who it is, so it
   * is not asked; by default the account of all jobs' tokens.
   */
  readonly login?: string | undefined;
}

const actionsLogin = 'github-actions[bot]';

export function githubForge(options: GithubForgeOptions): {
  readonly read: ForgeRead;
  readonly write: ForgeWrite;
} {
  const client = githubClient(options);
  const ourLogin = options.login ?? actionsLogin;
  const read = githubRead(client, ourLogin);
  const { sleep, log } = options;
  return { read, write: githubWrite({ client, ourLogin, sleep, log }, read) };
}
