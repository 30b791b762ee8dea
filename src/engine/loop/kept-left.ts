/** What a finished agent left, beside the logs until it is on record. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Claim } from '../../core/ledger/record/record.ts';
import type { StepJob } from '../engine.ts';
import type { Left } from '../left.ts';

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
