/**
 * The folder for what is not part of the repository: clones, logs, HOMEs of agents, and sessions. It lies
 * outside the repository, and only this user can open it, so that no committed file can be mistaken for one
 * of gza's.
 */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { appendFile, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Project } from '../../app/project.ts';
import { GzaError } from '../../core/errors.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { oneLine } from '../../core/markdown/neutralise.ts';
import { removeAll } from '../../workspace/workspace.ts';
import type { StepJob, StoredSession } from '../engine.ts';
import type { Left } from '../left.ts';

type At = Pick<Project, 'repository'>;

export function stateDirOf({ repository: { commonDir } }: At): string {
  const real = realpathSync(commonDir);
  const hash = createHash('sha256').update(real).digest('hex').slice(0, 12);
  return join(stateHome(), `${readableName(real)}-${hash}`);
}

/** Creates the folder and checks that it is safe to write to. */
export async function openStateDir(at: At): Promise<string> {
  const dir = stateDirOf(at);
  const { workTree } = at.repository;
  if (workTree !== null) refuseInside(dir, workTree);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // The owner of the parent folder could replace this one, so the parent is checked too.
  for (const one of [dirname(dir), dir]) await refuseForeign(one);
  return dir;
}

/** The folder for all repositories. A CI job uses the temporary folder that is removed with it. */
function stateHome(): string {
  const { RUNNER_TEMP: temp, XDG_STATE_HOME: xdg } = process.env;
  // The XDG specification says that relative paths are ignored.
  const usual = xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state');
  return join(real(temp && isAbsolute(temp) ? temp : usual), 'gza');
}

/** Resolves links, because processes report resolved paths, and clones are found by them. */
function real(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dirname(dir) === dir ? dir : join(real(dirname(dir)), basename(dir));
  }
}

/** A name for people to recognize. The hash is what makes it unique. */
function readableName(commonDir: string): string {
  const named = basename(commonDir) === '.git' ? dirname(commonDir) : commonDir;
  const plain = basename(named)
    .replace(/\.git$/, '')
    .replaceAll(/[^\w-]+/g, '-')
    .replace(/^-+/, '');
  return plain.slice(0, 40) || 'repository';
}

async function refuseForeign(dir: string): Promise<void> {
  const stats = await lstat(dir);
  const own = process.getuid?.() ?? stats.uid;
  if (stats.isDirectory() && stats.uid === own && (stats.mode & 0o022) === 0) return;
  const why = stats.isDirectory() ? 'others can write to it' : 'it is no folder';
  throw new GzaError('refused', `gza does not work in ${dir}: ${why}`, {
    hint: 'It should be a folder of yours alone. Look what it is, then remove it; gza makes it.',
  });
}

function refuseInside(dir: string, workTree: string): void {
  const path = relative(real(workTree), dir);
  if (path.startsWith(`..${sep}`) || isAbsolute(path)) return;
  throw new GzaError('refused', `gza's folder ${dir} lies inside of this repository`, {
    hint: 'Set XDG_STATE_HOME to a folder outside of it.',
  });
}

const folders = ['.gza/plans', '.gza/explorations', '.gza/reviews'] as const;

/** Copies plans, explorations and reviews to `.gza/` for people. `git status` does not show them. */
export async function keepArtifacts(
  { repository: { workTree } }: At,
  artifacts: readonly { readonly path: string; readonly text: string }[],
): Promise<void> {
  if (workTree === null) return;
  for (const { path, text } of artifacts) {
    const file = join('.gza', path);
    await refuseLinks(workTree, ['.gza', dirname(file), file]);
    await mkdir(dirname(join(workTree, file)), { recursive: true });
    await writeFile(join(workTree, file), text);
  }
}

/** Prepares `.gza/` once, before anything is written there. */
export async function openArtifacts({ repository }: At): Promise<void> {
  const { workTree, commonDir } = repository;
  if (workTree === null) return;
  await refuseLinks(workTree, ['.gza', ...folders]);
  await refuseTracked(repository);
  const file = join(commonDir, 'info', 'exclude');
  const text = await readFile(file, 'utf8').catch(() => '');
  const missing = folders.map((name) => `/${name}/`).filter((line) => !text.split('\n').includes(line));
  if (missing.length === 0) return;
  await mkdir(dirname(file), { recursive: true });
  await appendFile(file, `${text === '' || text.endsWith('\n') ? '' : '\n'}${missing.join('\n')}\n`);
}

/** gza must not write through a link. */
async function refuseLinks(workTree: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const stats = await lstat(join(workTree, path)).catch(() => null);
    const isPlain = stats === null || stats.isDirectory() || (stats.isFile() && path.endsWith('.md'));
    if (isPlain) continue;
    const what = stats.isSymbolicLink() ? 'a symbolic link' : 'no folder';
    throw new GzaError('refused', `${path} is ${what}: gza would write to what is behind it`, {
      hint: 'Look where it leads, and remove it. gza makes the folder when it needs one.',
    });
  }
}

/** Refuses when the repository tracks files there, because gza would overwrite them. */
async function refuseTracked({ git, objects, workTree }: Project['repository']): Promise<void> {
  const at = ['-C', workTree ?? '.'];
  const [index, ...committed] = await Promise.all([
    git.run([...at, 'ls-files', '-z', '--', ...folders.map((name) => `:(top,icase)${name}`)]),
    ...folders.map(async (name) => ((await objects.read(`HEAD:${name}`)) ? name : '')),
  ]);
  const first = index.stdout.toString('utf8').split('\0')[0] || committed.find(Boolean);
  if (!first) return;
  throw new GzaError('refused', `this repository has committed ${oneLine(first, 200)}, where gza writes`, {
    hint: `Take it out: git rm -r --cached ${folders.join(' ')} --ignore-unmatch, and commit. gza keeps these reports in the ledger.`,
  });
}

/** What a finished agent left. It is kept in this folder until the step is recorded. */
interface Kept {
  readonly job: StepJob;
  readonly left: Left;
}

const fileOf = (stateDir: string, claim: string) => join(stateDir, 'left', `${claim}.json`);

/** Keeps the result of an agent that ended by itself. One that was stopped has not finished. */
export async function keepLeft(stateDir: string, job: StepJob, left: Left): Promise<void> {
  if (left.broken !== undefined || left.runs.at(-1)?.kind !== 'ok') return;
  const file = fileOf(stateDir, job.claim);
  await mkdir(join(stateDir, 'left'), { recursive: true });
  const text = JSON.stringify({ job, left: { ...left, patch: left.patch?.toString('base64') ?? null } });
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

export async function dropLeft(stateDir: string, claim: string): Promise<void> {
  await rm(fileOf(stateDir, claim), { force: true });
}

/** The rename makes sure that only one process takes it. */
export async function takeLeft(stateDir: string, claim: Claim): Promise<Kept | null> {
  const file = fileOf(stateDir, claim.id);
  try {
    await rename(file, `${file}.taken`);
    const { job, left } = JSON.parse(await readFile(`${file}.taken`, 'utf8')) as {
      readonly job: StepJob;
      readonly left: Left & { readonly patch: string | null };
    };
    const isOfClaim = job.claim === claim.id && job.id === claim.task && job.step === claim.step;
    const patch = left.patch === null ? null : Buffer.from(left.patch, 'base64');
    return isOfClaim ? { job, left: { ...left, patch } } : null;
  } catch {
    return null;
  } finally {
    await rm(`${file}.taken`, { force: true });
  }
}

interface Owner {
  readonly id: string;
  readonly agent: string;
  readonly step: string;
}

/**
 * Reads the session that a step can resume, or null. A session can be resumed only on the same machine, in
 * the same HOME and in the same folder.
 */
export async function readSession(stateDir: string, job: Owner): Promise<StoredSession | null> {
  try {
    const kept = JSON.parse(await readFile(sessionFile(stateDir, job), 'utf8')) as StoredSession & {
      readonly step: string;
    };
    const isWhole = typeof kept.id === 'string' && typeof kept.clone === 'string';
    return isWhole && kept.step === job.step ? kept : null;
  } catch {
    return null;
  }
}

/** Null removes the session. */
export async function writeSession(
  stateDir: string,
  job: Owner,
  session: StoredSession | null,
): Promise<void> {
  const file = sessionFile(stateDir, job);
  if (session === null) return rm(file, { force: true });
  await mkdir(join(stateDir, 'sessions'), { recursive: true });
  await writeFile(file, JSON.stringify({ ...session, step: job.step }), { mode: 0o600 });
}

function sessionFile(stateDir: string, { id, agent }: Pick<Owner, 'id' | 'agent'>): string {
  return join(stateDir, 'sessions', `${id}-${agent}.json`);
}

/** Removes the sessions, so that the next try starts a new one. */
export async function forgetSessions(stateDir: string, id: string, agents: readonly string[]): Promise<void> {
  for (const agent of agents) await rm(sessionFile(stateDir, { id, agent }), { force: true });
}

/**
 * Removes what agents kept for a finished task: their HOMEs, which can be large, and their sessions.
 * `agents` are all that may have worked on it. Names are compared whole, because one task id may be the
 * beginning of another.
 */
export async function forgetTask(stateDir: string, id: string, agents: readonly string[]): Promise<void> {
  const names = new Set(agents.map((agent) => `${id}-${agent}`));
  for (const name of await readdir(join(stateDir, 'homes')).catch(() => [])) {
    if (names.has(name)) await removeAll(join(stateDir, 'homes', name)).catch(() => {});
  }
  await forgetSessions(stateDir, id, agents);
}
