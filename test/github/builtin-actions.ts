/** Stand-ins for the actions of GitHub's own that our workflows use; git and the artifact store behind are real. */
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type Git, openGit } from '../../src/git/git.ts';
import { isAllowed } from './permissions.ts';
import { takeId } from './state.ts';
import type { StepAnswer, StepCall, StepHandler } from './workflow-types.ts';
import { type Entry, readZip, writeZip } from './zip.ts';

let credentials = 0;

async function checkout(call: StepCall): Promise<StepAnswer> {
  const { inputs, workspace, run, temp, server, github } = call;
  const folder = resolve(workspace, inputs['path'] || '.');
  const repository = inputs['repository'] || `${github.state.owner}/${github.state.repo}`;
  const unsafe = refuseForkHead(call);
  if (unsafe) return { failed: unsafe };
  mkdirSync(folder, { recursive: true });
  await askHashAlgorithm(call, repository);
  const git = openGit(folder, { isolated: true });
  if (existsSync(join(folder, '.git'))) return { failed: `${folder} is a repository already` };
  makeRepository(folder, `${server}/${repository}`);
  const forget = authenticate(folder, call, temp);
  const failed = await fetchAndCheckOut(git, inputs, run.ref, run.headSha);
  if (inputs['persist-credentials'] === 'false') forget();
  const commit = failed ? '' : headOf(folder);
  return { outputs: { ref: inputs['ref'] || run.ref, commit }, post: forget, ...(failed ? { failed } : {}) };
}

/** Since v7, where the commit is not known yet (actions/checkout, tryGetRepositoryObjectFormat); it may be refused. */
async function askHashAlgorithm({ inputs, token, github }: StepCall, repository: string): Promise<void> {
  if (/^([0-9a-f]{40})?$/.test(inputs['ref'] ?? '')) return;
  const authorization = `token ${inputs['token'] || token}`;
  const headers = { authorization, 'user-agent': 'checkout', 'x-github-api-version': '2022-11-28' };
  await fetch(`${github.apiUrl}/repos/${repository}/hash-algorithm`, { headers }).catch(() => {});
}

/** As `git init` and `git remote add` leave it, without their processes: there is one in each job. */
function makeRepository(folder: string, url: string): void {
  for (const path of ['objects', 'refs/heads', 'refs/tags', 'info'])
    mkdirSync(join(folder, '.git', path), { recursive: true });
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/master\n');
  writeFileSync(
    join(folder, '.git/config'),
    `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
[remote "origin"]
\turl = ${url}
\tfetch = +refs/heads/*:refs/remotes/origin/*
`,
  );
}

function headOf(folder: string): string {
  const read = (path: string) => readFileSync(join(folder, '.git', path), 'utf8').trim();
  const head = read('HEAD');
  return head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head;
}

/** Since v7: code of a fork is not checked out where the token is the base's, unless asked for. */
function refuseForkHead({ inputs, run, github }: StepCall): string | undefined {
  const isTrusted = run.event !== 'pull_request_target' && run.event !== 'workflow_run';
  if (isTrusted || inputs['allow-unsafe-pr-checkout'] === 'true') return undefined;
  const full = `${github.state.owner}/${github.state.repo}`;
  const ref = inputs['ref'] ?? '';
  const isFork = github.state.issues.some(
    ({ number, pull }) =>
      pull && pull.head.repo !== full && (ref === pull.head.sha || ref.startsWith(`refs/pull/${number}/`)),
  );
  return isFork
    ? `Refusing to check out the head of a fork's pull request (${ref}) in ${run.event}.`
    : undefined;
}

/** Since v6 the token is in a file of its own, which git's configuration includes for this folder alone. */
function authenticate(folder: string, call: StepCall, temp: string): () => void {
  credentials += 1;
  const file = join(temp, `git-credentials-${credentials}.config`);
  const basic = Buffer.from(`x-access-token:${call.inputs['token'] || call.token}`).toString('base64');
  writeFileSync(file, `[http "${call.server}/"]\n\textraheader = AUTHORIZATION: basic ${basic}\n`, {
    mode: 0o600,
  });
  const config = join(folder, '.git/config');
  const section = `[includeIf "gitdir:${folder}/.git"]\n\tpath = ${file}\n`;
  appendFileSync(config, section);
  return () => {
    rmSync(file, { force: true });
    if (existsSync(config)) writeFileSync(config, readFileSync(config, 'utf8').replace(section, ''));
  };
}

async function fetchAndCheckOut(
  git: Git,
  inputs: StepCall['inputs'],
  runRef: string,
  runSha: string,
): Promise<string | undefined> {
  const wanted = inputs['ref'] || runRef;
  const isSha = /^[0-9a-f]{40}$/.test(wanted);
  const branch = isSha
    ? ''
    : wanted.startsWith('refs/')
      ? (/^refs\/heads\/(.+)$/.exec(wanted)?.[1] ?? '')
      : wanted;
  const depth = inputs['fetch-depth'] ?? '1';
  const filter = inputs['filter'] ? [`--filter=${inputs['filter']}`] : [];
  const what = inputs['ref'] ? (isSha ? wanted : branch ? `refs/heads/${branch}` : wanted) : runSha;
  const target = branch ? `refs/remotes/origin/${branch}` : 'refs/remotes/fetched';
  const refs =
    depth === '0'
      ? [
          '+refs/heads/*:refs/remotes/origin/*',
          '+refs/tags/*:refs/tags/*',
          ...(branch ? [] : [`+${what}:${target}`]),
        ]
      : [`--depth=${depth}`, `+${what}:${target}`];
  const fetched = await git.run([
    'fetch',
    '--no-tags',
    '--prune',
    '--no-recurse-submodules',
    ...filter,
    ...refs.filter((one) => one.startsWith('--')),
    'origin',
    ...refs.filter((one) => !one.startsWith('--')),
  ]);
  if (fetched.code !== 0) return fetched.stderr;
  const done = await git.run(
    branch
      ? ['checkout', '--force', '-B', branch, target]
      : ['checkout', '--force', '--detach', isSha ? wanted : target],
  );
  return done.code === 0 ? undefined : done.stderr;
}

function filesUnder(path: string, hidden: boolean): string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => hidden || !entry.name.startsWith('.'))
    .flatMap((entry) => filesUnder(join(path, entry.name), hidden));
}

/** The folder that names in the archive are relative to: the deepest one that all files share. */
function rootOf(files: readonly string[]): string {
  let root = dirname(files[0] ?? '/');
  while (!files.every((file) => file.startsWith(root === '/' ? '/' : root + sep))) root = dirname(root);
  return root;
}

function upload({ inputs, workspace, github, run }: StepCall): StepAnswer {
  const { state } = github;
  const name = inputs['name'] || 'artifact';
  const paths = (inputs['path'] ?? '')
    .split('\n')
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => resolve(workspace, one));
  const files = paths.flatMap((path) => filesUnder(path, inputs['include-hidden-files'] === 'true'));
  if (files.length === 0) return nothing(inputs['if-no-files-found'] ?? 'warn');
  if (/[":<>|*?\r\n\\/]/.test(name)) return { failed: `The artifact name is not valid: ${name}.` };
  const same = state.artifacts.find((one) => one.run === run.id && one.name === name && !one.expired);
  if (same && inputs['overwrite'] !== 'true')
    return {
      failed:
        'Failed to CreateArtifact: Received non-retryable error: Failed request: (409) Conflict: an artifact with this name already exists on the workflow run',
    };
  if (same) state.artifacts.splice(state.artifacts.indexOf(same), 1);
  const single = paths.length === 1 && paths[0] ? statSync(paths[0]) : undefined;
  const root = single?.isDirectory() && paths[0] ? paths[0] : rootOf(files);
  const zip = writeZip(
    files
      .toSorted()
      .map((file): Entry => ({ name: relative(root, file).replaceAll(sep, '/'), data: readFileSync(file) })),
  );
  const digest = createHash('sha256').update(zip).digest('hex');
  const id = takeId(state);
  state.artifacts.push({ id, run: run.id, name, digest, zip, createdAt: state.now, expired: false });
  const url = `${github.serverUrl}/${state.owner}/${state.repo}/actions/runs/${run.id}/artifacts/${id}`;
  return { outputs: { 'artifact-id': String(id), 'artifact-digest': digest, 'artifact-url': url } };
}

function nothing(mode: string): StepAnswer {
  return mode === 'error'
    ? { failed: 'No files were found with the provided path. No artifacts will be uploaded.' }
    : { outputs: {} };
}

function download({ inputs, workspace, github, run }: StepCall): StepAnswer {
  const from = Number(inputs['run-id'] || run.id);
  // Of another run it asks the API, as whoever's token it is given.
  const token = github.state.tokens[inputs['github-token'] ?? ''];
  if (from !== run.id && !(token && isAllowed(github.state, token, ['actions:read'])))
    return { failed: 'Unable to download artifact(s): Resource not accessible by integration' };
  const ids = (inputs['artifact-ids'] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  const name = inputs['name'];
  const found = github.state.artifacts
    .filter((one) => one.run === from && !one.expired)
    .filter((one) => (ids.length > 0 ? ids.includes(String(one.id)) : !name || one.name === name));
  if ((name || ids.length > 0) && found.length === 0)
    return { failed: `Unable to download artifact(s): Artifact not found: ${name || ids.join()}` };
  const broken = found.find(({ zip, digest }) => createHash('sha256').update(zip).digest('hex') !== digest);
  if (broken && inputs['digest-mismatch'] === 'error')
    return { failed: `Artifact digest validation failed for ${broken.name}` };
  const target = resolve(workspace, inputs['path'] || '.');
  // One that was asked for lands in the folder itself; several get a folder each.
  const apart = !(name || (ids.length === 1 && found.length === 1)) && inputs['merge-multiple'] !== 'true';
  for (const artifact of found) {
    for (const entry of readZip(artifact.zip)) {
      const file = join(target, apart ? artifact.name : '', entry.name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, entry.data);
    }
  }
  return { outputs: { 'download-path': target } };
}

const nothingToDo: StepHandler = () => ({ outputs: { 'cache-hit': 'false' } });

export const builtinActions: Readonly<Record<string, StepHandler>> = {
  'actions/checkout': checkout,
  'actions/upload-artifact': upload,
  'actions/download-artifact': download,
  // A test that has an App brings one of its own.
  'actions/create-github-app-token': () => ({ failed: 'there is no App' }),
  'actions/setup-node': nothingToDo,
  'actions/setup-python': nothingToDo,
  'actions/cache': nothingToDo,
  'actions/cache/restore': nothingToDo,
  'actions/cache/save': nothingToDo,
};
