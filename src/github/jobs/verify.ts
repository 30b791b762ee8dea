/** The verify job: the patch on a fresh machine without secrets, and the task's own checks. */
import { join } from 'node:path';
import type { Verification } from '../../core/checks/verification.ts';
import { GzaError } from '../../core/errors.ts';
import { describeVerification } from '../../core/text/verification.ts';
import {
  checkBaseline,
  checksOfStep,
  mayBlameBase,
  projectChecks,
  verify,
} from '../../engine/checks/verify.ts';
import { policyOf, saveStep } from '../../engine/conclude/save-step.ts';
import { changesFiles } from '../../engine/engine.ts';
import { stateDirOf } from '../../engine/loop/state-dir.ts';
import { objectFolders } from '../../workspace/clone-folder.ts';
import type { Ci } from './ci.ts';
import { printVerification, readLeft, writeVerification } from './left-files.ts';
import { type OpenJob, openJob } from './open-job.ts';

export async function verifyJob(ci: Ci): Promise<void> {
  const dir = join(ci.temp, 'gza-verified');
  ci.output('verified', dir);
  const opened = await openJob(ci);
  if (!opened) return ci.say('The claim is not held any more, so nothing is checked.');
  if (!changesFiles(opened.job.step)) return ci.say('This step changes no files: nothing to check.');
  const verification = await checkPatch(ci, opened);
  await writeVerification(dir, printVerification(verification));
  const text = describeVerification(verification);
  ci.say(text);
  if (!verification.ok) throw new GzaError('refused', text);
}

async function checkPatch(ci: Ci, opened: OpenJob): Promise<Verification> {
  const { job, project, view, workspace } = opened;
  const { ports } = ci;
  const clone = await workspace.createClone({
    name: `${job.id}.verify.${job.claim.slice(0, 12)}`,
    branch: job.lane?.link.branch ?? `gza-look/${job.id}`,
    start: await commitToCheck(ci, opened),
    base: job.base,
    purpose: 'review',
  });
  const verification = await verify({
    ...checksOfStep({ project, view, job, caller: ports.env, stateDir: stateDirOf(project) }),
    treeDir: clone.treeDir,
    read: await objectFolders(workspace.repository.objectsDir),
    signal: ports.signal,
    onLine: (line) => ci.say(`| ${line}`),
  });
  const commands = projectChecks({ project, view });
  const commit = job.lane?.link.fork_point;
  // What a branch stands on that is no part of the base yet passed when it was made.
  if (verification.ok || !commands || !commit || job.lane?.link.stacked_on || !mayBlameBase(verification))
    return verification;
  ci.say(`The same on the untouched base, ${commit.slice(0, 12)}:`);
  const baseline = await checkBaseline({
    project,
    view,
    workspace,
    commands,
    base: { branch: job.base.branch, commit },
    caller: ports.env,
    name: `${job.id}.baseline.${job.claim.slice(0, 12)}`,
    signal: ports.signal,
    onLine: (line) => ci.say(`| ${line}`),
  });
  return baseline?.failed ? { ...verification, baseline } : verification;
}

/** As the landing job will make it, through the same guard. */
async function commitToCheck(ci: Ci, { job, project, view, workspace }: OpenJob): Promise<string> {
  const found = await readLeft(ci.input('left'), job);
  if (found.kind !== 'left') {
    const why = found.kind === 'nothing' ? 'the agent’s job left nothing' : found.why;
    throw new GzaError('refused', `there is nothing to check: ${why}`);
  }
  const onto = job.lane?.head ?? job.base.commit;
  const saved = await saveStep({
    repository: workspace.repository,
    onto,
    left: found.left,
    purpose: { kind: 'step' },
    title: view.task.title,
    taskId: job.id,
    policy: policyOf(project.settings(view.task), project.config),
    date: new Date(ci.ports.now()),
    compareWith: onto,
  });
  if (saved.kind === 'refused')
    throw new GzaError('refused', `the patch is not taken:\n${saved.why.slice(0, 5000)}`);
  return saved.kind === 'saved' ? saved.commit : onto;
}
