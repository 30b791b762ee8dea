/** What a route is, and the answers most of them give. */
import type { Answer } from './answers.ts';
import { notFound, refuse } from './answers.ts';
import type { GitData } from './git-data.ts';
import type { Json, Render } from './render.ts';
import { canWrite, findPull, type Issue, type PullIssue, type State, type Token } from './state.ts';
import type { World } from './world.ts';

export interface Call {
  readonly world: World;
  readonly state: State;
  readonly data: GitData;
  readonly render: Render;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
  readonly token: Token;
}

export interface Route {
  /** Any one of these is enough; none = what every token may do. `issues:write` and the like. */
  readonly needs: readonly string[];
  /** Counts against the limit on creating content. */
  readonly creates?: boolean;
  handle(call: Call): Answer | Promise<Answer>;
}

/** By GitHub's own operation id. */
export type Routes = Readonly<Record<string, Route>>;

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });
export const noContent: Answer = { status: 204 };

/** Lists are cut into pages by the server, which also writes the Link header. */
export interface Page {
  readonly status: 200;
  readonly list: readonly unknown[];
  readonly wrap: (items: readonly unknown[], total: number) => unknown;
}

export function listed(list: readonly unknown[], key?: string): Answer & { readonly page: Page } {
  const wrap = (items: readonly unknown[], total: number) =>
    key ? { total_count: total, [key]: items } : items;
  return { status: 200, page: { status: 200, list, wrap } };
}

export function pullOf(call: Call): PullIssue {
  const pull = findPull(call.state, Number(call.params['pull_number']));
  if (!pull) throw notFound();
  return pull;
}

export function issueOf(call: Call): Issue {
  const issue = call.state.issues.find((one) => one.number === Number(call.params['issue_number']));
  if (!issue) throw notFound();
  return issue;
}

export async function baseShaOf(call: Call, pull: PullIssue): Promise<string> {
  return (await call.data.commit(`refs/heads/${pull.pull.base}`)) ?? pull.pull.head.sha;
}

export async function renderPull(call: Call, pull: PullIssue): Promise<Json> {
  return call.render.pull(pull, await baseShaOf(call, pull));
}

/** Who may not write may change only the words that are their own. */
export function checkOwnWords(call: Call, author: string): void {
  const { token, state } = call;
  if (token.kind !== 'user' || token.login === author || canWrite(state, token.login)) return;
  throw refuse(403, 'Must have admin rights to Repository.');
}

export function text(body: Readonly<Record<string, unknown>>, key: string): string {
  const value = body[key];
  return typeof value === 'string' ? value : '';
}
