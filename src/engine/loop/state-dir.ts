/**
 * Where gza keeps what is no part of the repository: clones, logs, homes of agents, sessions. It lies outside of the
 * repository, in a folder that only this user can open: nothing that somebody commits can be taken for gza's own.
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

/** For those who write there. */
export async function openStateDir(at: At): Promise<string> {
  const dir = stateDirOf(at);
  const { workTree } = at.repository;
  if (workTree !== null) refuseInside(dir, workTree);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  // Whoever owns the folder above can put another in its place.
  for (const one of [dirname(dir), dir]) await refuseForeign(one);
  return dir;
}

/** Of all repositories. A job of the runner has a folder that goes with it. */
function stateHome(): string {
  const { RUNNER_TEMP: temp, XDG_STATE_HOME: xdg } = process.env;
  // The specification has relative paths ignored.
  const usual = xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.local', 'state');
  return join(real(temp && isAbsolute(temp) ? temp : usual), 'gza');
}

/** Paths that processes see are without links, and clones are found by them. */
function real(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return dirname(dir) === dir ? dir : join(real(dirname(dir)), basename(dir));
  }
}

/** Only for people who look: the hash tells repositories apart. */
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

/** Copies of plans, explorations and reviews where people look: `.gza/`, hidden from `git status`. */
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

/** Once, before anything is written there. */
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

/** What is behind a link is not gza's to write. */
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

/** A file that the repository has there would be written over, and the copies would show in `git status`. */
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

/** What a finished agent left, beside the logs until it is on record. */
interface Kept {
  readonly job: StepJob;
  readonly left: Left;
}

const fileOf = (stateDir: string, claim: string) => join(stateDir, 'left', `${claim}.json`);

/** Of an agent that ended by itself: one that was stopped has not finished. */
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

/** Only one takes it. */
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
 * A session can be gone on with only on the machine, in the HOME and in the folder that it began in. Null when there
 * is none that this step could go on with.
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

/** Null takes it away. */
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

/** The next try begins afresh. */
export async function forgetSessions(stateDir: string, id: string, agents: readonly string[]): Promise<void> {
  for (const agent of agents) await rm(sessionFile(stateDir, { id, agent }), { force: true });
}

/**
 * What agents kept for a task that is done: their HOMEs, which can be large, and sessions nobody goes on with.
 * `agents`: all that may have worked on it. Names of tasks may be beginnings of one another.
 */
export async function forgetTask(stateDir: string, id: string, agents: readonly string[]): Promise<void> {
  const names = new Set(agents.map((agent) => `${id}-${agent}`));
  for (const name of await readdir(join(stateDir, 'homes')).catch(() => [])) {
    if (names.has(name)) await removeAll(join(stateDir, 'homes', name)).catch(() => {});
  }
  await forgetSessions(stateDir, id, agents);
}
