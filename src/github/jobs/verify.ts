/** The verify job: the patch on a fresh machine without secrets, and the task's own checks. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Verification } from '../../core/checks/verification.ts';
import { GzaError } from '../../core/errors.ts';
import { describeVerification } from '../../core/text/verification.ts';
import { stateDirOf } from '../../engine/loop/state-dir.ts';
import { verify } from '../../engine/perform/verify.ts';
import { policyOf } from '../../engine/record/save-step.ts';
import { changesFiles } from '../../engine/step/settings-of-view.ts';
import { verifyOptions } from '../../engine/step/work-step.ts';
import { readPlainFile } from '../../system/plain-file.ts';
import { importPatch } from '../../workspace/patch/import-patch.ts';
import { gzaIdentity } from '../../workspace/workspace.ts';
import { readLeft } from '../left/step-left.ts';
import { printVerification } from '../left/verification-file.ts';
import type { Ci } from './ci.ts';
import { type OpenJob, openJob } from './open-job.ts';

export async function verifyJob(ci: Ci): Promise<void> {
  const dir = await verifiedDir(ci.temp);
  ci.output('verified', dir);
  const opened = await openJob(ci);
  if (!opened) return ci.say('The claim is not held any more, so nothing is checked.');
  if (!changesFiles(opened.job.step)) return ci.say('This step changes no files: nothing to check.');
  const verification = await checkPatch(ci, opened);
  await writeFile(join(dir, fileName), printVerification(verification));
  const text = describeVerification(verification);
  ci.say(text);
  if (!verification.ok) throw new GzaError('refused', text);
}

/** Where the job leaves what its checks said. */
export async function verifiedDir(temp: string): Promise<string> {
  const dir = join(temp, 'gza-verified');
  await mkdir(dir, { recursive: true });
  return dir;
}

async function checkPatch(ci: Ci, { job, project, view, workspace }: OpenJob): Promise<Verification> {
  const { ports } = ci;
  const found = await readLeft(ci.input('left'), { task: job.id, claim: job.claim, step: job.step });
  if (found.kind !== 'left') {
    const why = found.kind === 'nothing' ? 'the agent’s job left nothing' : found.why;
    throw new GzaError('refused', `there is nothing to check: ${why}`);
  }
  const settings = project.settings(view.task);
  const head = job.lane?.head ?? job.base.commit;
  const start = found.patch ? await commitOf(found.patch, head) : head;
  const clone = await workspace.createClone({
    name: `${job.id}.verify.${job.claim.slice(0, 12)}`,
    branch: job.lane?.link.branch ?? `gza-look/${job.id}`,
    start,
    base: job.base,
    purpose: 'review',
  });
  return verify({
    ...verifyOptions({ project, view, job, caller: ports.env, stateDir: stateDirOf(project) }, settings),
    treeDir: clone.treeDir,
    signal: ports.signal,
    onLine: (line) => ci.say(`| ${line}`),
  });

  async function commitOf(patch: Buffer, onto: string): Promise<string> {
    const policy = policyOf(settings, project.config.protected);
    const date = new Date(ports.now());
    const message = `Work of ${job.id}`;
    const made = await importPatch(workspace.repository, {
      patch,
      onto,
      message,
      author: gzaIdentity,
      date,
      policy,
    });
    if (made.kind === 'committed') return made.commit;
    if (made.kind === 'empty') return onto;
    const why = 'why' in made ? made.why : made.reasons.map((one) => `${one.path}: ${one.why}`).join('\n');
    throw new GzaError('refused', `the patch is not taken:\n${why.slice(0, 5000)}`);
  }
}

const fileName = 'verification.json';

/** For the landing job: what the verify job wrote, null when nothing. */
export async function readVerification(dir: string): Promise<string | null> {
  if (dir === '') return null;
  const bytes = await readPlainFile(join(dir, fileName), 1_000_000).catch(() => null);
  return bytes === null ? null : bytes.toString('utf8');
}

/** From a folder that code under test could write to. */
export async function copyVerification(from: string, to: string): Promise<void> {
  const text = await readVerification(from);
  if (text !== null) await writeFile(join(to, fileName), text);
}
