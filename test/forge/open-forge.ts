/** A forge on a fake GitHub, with a clock that waits for nobody: sleeping moves it. */

import type { ForgeRead, ForgeWrite, Opened, PullFacts } from '../../src/github/api/forge.ts';
import { type GithubForgeOptions, githubForge } from '../../src/github/api/write.ts';
import { type Github, startGithub } from '../github/github.ts';
import type { Permissions, Settings, Token } from '../github/state.ts';

export interface OpenForge {
  readonly github: Github;
  readonly read: ForgeRead;
  readonly write: ForgeWrite;
  readonly slept: number[];
  readonly log: string[];
  /** Operations since the last call, by name. */
  readonly asked: () => string[];
  /** A forge of another job or person, on the same GitHub. */
  readonly as: (
    token: Partial<Token>,
    options?: Partial<GithubForgeOptions>,
  ) => { readonly read: ForgeRead; readonly write: ForgeWrite };
}

const all: Permissions = {
  contents: 'write',
  pull_requests: 'write',
  issues: 'write',
  statuses: 'write',
  actions: 'write',
  checks: 'read',
};

export async function openForge(
  settings: Partial<Settings> = {},
  options: Partial<GithubForgeOptions> = {},
  files?: Readonly<Record<string, string>>,
): Promise<OpenForge> {
  const github = await startGithub({ settings, ...(files ? { files } : {}) });
  const slept: number[] = [];
  const log: string[] = [];
  let seen = 0;
  const as: OpenForge['as'] = (token, more) =>
    githubForge({
      token: github.token({ permissions: all, ...token }),
      repository: 'olive/demo',
      apiUrl: github.apiUrl,
      sleep: async (milliseconds) => {
        slept.push(milliseconds);
        github.state.now += milliseconds;
      },
      now: () => new Date(github.state.now).toISOString(),
      log: (line) => void log.push(line),
      limits: { betweenWritesMs: 0 },
      ...options,
      ...more,
    });
  return {
    github,
    ...as({}),
    slept,
    log,
    asked: () => {
      const names = github.seen.slice(seen).map((one) => one.operation);
      seen = github.seen.length;
      return names;
    },
    as,
  };
}

/** A branch with a commit, and what is wanted for it. */
export const wanted = {
  branch: 'gza/t1',
  base: 'main',
  title: 'Work',
  body: '- [ ] first\n- [ ] second\n',
  draft: true,
  reviewers: [],
};

/** Of one that was opened or found. */
export function pullIn(opened: Opened): PullFacts {
  if (!('pull' in opened)) throw new Error(opened.kind);
  return opened.pull;
}

/** A comment of walter's on a line of a pull request. */
export async function addReviewThread(
  github: Github,
  number: number,
  { line, body, path = 'a.txt' }: { line: number; body: string; path?: string },
): Promise<number> {
  const pull = github.state.issues.find((one) => one.number === number)?.pull;
  const answer = await github.as('walter').request('POST', `/pulls/${number}/comments`, {
    body,
    path,
    line,
    side: 'RIGHT',
    commit_id: pull?.head.sha,
  });
  return Number(answer.body['id']);
}
