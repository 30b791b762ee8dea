/**
 * Where gza keeps what is no part of the repository: clones, logs, homes of agents, sessions. It lies outside of the
 * repository, in a folder that only this user can open: nothing that somebody commits can be taken for gza's own.
 */
import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { lstat, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import type { Project } from '../../app/project.ts';
import { GzaError } from '../../core/errors.ts';

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
