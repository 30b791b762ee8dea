/** A set-up that the repository itself has for the machines of agents and checks, in place of the line `setup`. */
import { join } from 'node:path';
import { savedCaches } from '../../core/doctor/workflow-traits.ts';
import { GzaError } from '../../core/errors.ts';
import { readPlainFile } from '../../system/outside.ts';
import type { Ci } from './ci.ts';

const path = '.github/actions/gza-setup/action.yml';
const bytesMax = 1_000_000;

/** Of the base branch, as that is what the job's folder holds: an agent's tree lies elsewhere. */
export async function findOwnSetup(ci: Pick<Ci, 'ports' | 'output'>): Promise<void> {
  const text = (await readPlainFile(join(ci.ports.cwd, path), bytesMax))?.toString('utf8');
  const [saves] = text === undefined ? [] : savedCaches(path, text);
  if (saves !== undefined) {
    throw new GzaError('input', `${path} uses ${saves}, which saves a cache when the job ends`, {
      hint: 'No cache is saved from the job of an agent. Restore one with actions/cache/restore; give actions/setup-go `cache: false` and actions/setup-node `package-manager-cache: false`, and others no `cache`.',
    });
  }
  ci.output('own-setup', String(text !== undefined));
}
