/** How a GitHub is at one moment, to begin with again and again: cheaper than playing up to there each time. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { State } from './state.ts';

export interface Snapshot {
  readonly state: State;
  readonly gitDir: string;
  remove(): void;
}

/** To be taken when nothing runs; runs that are queued are still queued in it. */
export function takeSnapshot(github: { readonly state: State; readonly gitDir: string }): Snapshot {
  const folder = mkdtempSync(join(tmpdir(), 'fake-snapshot-'));
  const gitDir = join(folder, 'repository.git');
  copyRepository(github, gitDir);
  return {
    state: copyState(github.state),
    gitDir,
    remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  };
}

export function copyRepository(from: { readonly gitDir: string }, gitDir: string): void {
  cpSync(from.gitDir, gitDir, { recursive: true });
  const config = join(gitDir, 'config');
  // It names its hooks by their whole path.
  const text = readFileSync(config, 'utf8');
  writeFileSync(config, text.replace(/hooksPath = .*/, `hooksPath = ${join(gitDir, 'hooks')}`));
}

export function copyState(state: State): State {
  const copy = structuredClone(state);
  // A copied buffer is a plain array.
  const artifacts = copy.artifacts.map((one) => ({ ...one, zip: Buffer.from(one.zip) }));
  return { ...copy, artifacts };
}
