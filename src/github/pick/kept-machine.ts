/**
 * A runner of one's own that keeps its disk from job to job: what an agent left there meets the next job, and that
 * may be one with a token that writes. An agent's job leaves a note, a writing job that finds one says so.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { trapText } from '../../core/text/doctor/trap-texts.ts';
import type { Ci } from '../jobs/ci.ts';

const note = '.gza-agent-was-here';

export function mindMachine(ci: Ci, job: string): void {
  const { env } = ci.ports;
  const home = env['HOME'];
  if (env['RUNNER_ENVIRONMENT'] !== 'self-hosted' || home === undefined || home === '') return;
  const file = join(home, note);
  if (job === 'agent') writeNote(file);
  if ((job === 'pick' || job === 'land') && existsSync(file)) {
    const runner = env['RUNNER_NAME'] ?? 'of this job';
    const { happened, kept, next } = trapText({ kind: 'runner-not-ephemeral', runner });
    ci.warn(`${happened} ${kept} What to do: ${next.join('; ')}.`);
  }
}

function writeNote(file: string): void {
  try {
    writeFileSync(file, 'An agent of gza ran on this machine.\n', { flag: 'wx', mode: 0o600 });
  } catch {
    // It is there already, or the home cannot be written: then nothing is kept in it either.
  }
}
