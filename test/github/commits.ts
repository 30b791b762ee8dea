/** Commits that people push, made straight in the repository: past all protection, and told to the workflows. */
import { blankIssue, blankPull } from './routes/pulls.ts';
import { nextNumber } from './state.ts';
import { pushPayload } from './webhooks.ts';
import { emit, emitPull, render, syncPulls, type World } from './world.ts';

export interface CommitOptions {
  readonly branch: string;
  /** null deletes. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly message?: string;
  readonly by?: string;
  /** Where a new branch begins; default main. */
  readonly from?: string;
}

export interface ForkPull {
  readonly by: string;
  readonly branch: string;
  readonly files: Readonly<Record<string, string>>;
  readonly title?: string;
  readonly body?: string;
}

export async function commit(
  world: World,
  { branch, files, message = 'Change', by = 'olive', from }: CommitOptions,
): Promise<string> {
  const { data, state } = world;
  const ref = `refs/heads/${branch}`;
  const old = await data.commit(ref);
  const sha = await writeCommit(world, ref, old ?? (await data.commit(from ?? state.defaultBranch)), {
    files,
    message,
    by,
  });
  const person = { login: by, kind: 'user' as const };
  const payload = pushPayload(render(world), {
    ref,
    before: old ?? '0'.repeat(40),
    after: sha,
    sender: by,
    commits: [{ id: sha, message }],
  });
  await emit(world, { name: 'push', payload, by: person, ref, sha });
  await syncPulls(world, person);
  return sha;
}

async function writeCommit(
  { data, state }: World,
  ref: string,
  parent: string | null,
  { files, message, by }: { files: CommitOptions['files']; message: string; by: string },
): Promise<string> {
  state.now += state.stepMs;
  const who = `${by} <${by}@example.com> ${Math.floor(state.now / 1000)} +0000`;
  const blob = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  const changes = Object.entries(files).map(([path, text]) =>
    text === null ? `D ${path}\n` : `M 100644 inline ${path}\n${blob(text)}`,
  );
  const from = parent ? `from ${parent}\n` : '';
  const stream = `commit ${ref}\nauthor ${who}\ncommitter ${who}\n${blob(message)}${from}${changes.join('')}\n`;
  await data.git.text(['fast-import', '--quiet', '--force'], { stdin: stream });
  return (await data.commit(ref)) ?? '';
}

/** Its commits are in the repository under refs/pull alone, as at GitHub; the branch is the fork's. */
export async function forkPull(
  world: World,
  { by, branch, files, title = branch, body = '' }: ForkPull,
): Promise<number> {
  const { state, data } = world;
  const number = nextNumber(state);
  const main = await data.commit(state.defaultBranch);
  const sha = await writeCommit(world, `refs/pull/${number}/head`, main, { files, message: title, by });
  const token = { kind: 'user' as const, login: by, permissions: {} };
  const head = { ref: branch, repo: `${by}/${state.repo}`, sha };
  const pull = {
    ...blankIssue({ state, token }, title, body),
    pull: blankPull(state.defaultBranch, head, false),
  };
  state.issues.push(pull);
  await emitPull(world, 'opened', pull, { login: by, kind: 'user' });
  return number;
}
