/** What the routes, the git server and the workflow harness share: the state, its repository, its addresses. */

import type { GitData } from './git-data.ts';
import { type Render, renderer, type Urls } from './render.ts';
import { type GithubEvent, isPull, type PullIssue, type State, type Token, tell } from './state.ts';
import { createRuns } from './triggers.ts';
import { pullPayload } from './webhooks.ts';

export interface World {
  state: State;
  readonly data: GitData;
  readonly urls: Urls;
  /** What a client did that no client may do, or the fake did that GitHub never does. Any entry fails a test. */
  readonly violations: string[];
  /** Writes a server makes are ordered; this is the lock. */
  exclusive: Promise<unknown>;
}

export type By = GithubEvent['by'];

export function render(world: World): Render {
  return renderer(world.state, world.urls);
}

export function by(token: Token): By {
  return { login: token.login, kind: token.kind };
}

/** Records what happened and starts the runs that GitHub would start for it. */
export async function emit(world: World, event: GithubEvent): Promise<void> {
  world.state.events.push(event);
  if (world.state.loseEvents > 0) world.state.loseEvents -= 1;
  else await createRuns(world, event);
}

/** An event whose workflow is the default branch's. */
export async function emitOnDefault(
  world: World,
  name: string,
  payload: GithubEvent['payload'],
  who: By,
): Promise<void> {
  const { state, data } = world;
  const ref = `refs/heads/${state.defaultBranch}`;
  const sha = (await data.commit(ref)) ?? '';
  await emit(world, { name, payload, by: who, ref, sha });
}

export async function emitPull(
  world: World,
  action: string,
  pull: PullIssue,
  who: By,
  changes?: Record<string, unknown>,
): Promise<void> {
  const { state, data } = world;
  const baseSha = (await data.commit(`refs/heads/${pull.pull.base}`)) ?? pull.pull.head.sha;
  const payload = pullPayload(render(world), {
    action,
    pull,
    baseSha,
    sender: who.login,
    ...(changes ? { changes } : {}),
  });
  const sha = pull.pull.head.sha;
  await emit(world, { name: 'pull_request', payload, by: who, ref: `refs/pull/${pull.number}/merge`, sha });
  const main = `refs/heads/${state.defaultBranch}`;
  const mainSha = (await data.commit(main)) ?? '';
  await emit(world, { name: 'pull_request_target', payload, by: who, ref: main, sha: mainSha });
}

/** Brings pull requests in line with the repository's refs: new heads, merges by push, branches that went. */
export async function syncPulls(world: World, who: By): Promise<void> {
  const { state, data } = world;
  const refs = await data.refs();
  const full = `${state.owner}/${state.repo}`;
  for (const pull of state.issues.filter(isPull).filter((one) => one.state === 'open')) {
    const { head, base } = pull.pull;
    const now = head.repo === full ? refs.get(`refs/heads/${head.ref}`) : head.sha;
    const baseSha = refs.get(`refs/heads/${base}`);
    if (now && now !== head.sha) {
      const before = head.sha;
      if (!(await data.contains(now, before)))
        tell(state, pull.number, 'head_ref_force_pushed', who.login, now);
      head.sha = now;
      pull.updatedAt = state.now;
      await data.git.run(['update-ref', `refs/pull/${pull.number}/head`, now]);
      await emitPull(world, 'synchronize', pull, who, { before, after: now });
    }
    if (baseSha && now && (await data.contains(baseSha, now))) await markMerged(world, pull, baseSha, who);
    else if (!now || !baseSha) {
      tell(state, pull.number, baseSha ? 'head_ref_deleted' : 'base_ref_deleted', who.login);
      await closePull(world, pull, who);
    }
  }
}

export async function markMerged(world: World, pull: PullIssue, commit: string, who: By): Promise<void> {
  Object.assign(pull.pull, {
    merged: true,
    mergedAt: world.state.now,
    mergedBy: who.login,
    mergeCommit: commit,
  });
  tell(world.state, pull.number, 'merged', who.login, commit);
  await closePull(world, pull, who);
}

export async function closePull(world: World, pull: PullIssue, who: By): Promise<void> {
  const { state } = world;
  Object.assign(pull, { state: 'closed', closedAt: state.now, updatedAt: state.now, closedBy: who.login });
  tell(state, pull.number, 'closed', who.login);
  await emitPull(world, 'closed', pull, who);
}
