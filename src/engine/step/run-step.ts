/** One step from its job to its report, on this machine: agent, tree, checks, verdict. Nothing is recorded here. */
import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { wholeView } from '../../app/tasks/change-task.ts';
import { contextText } from '../../core/text/terminal/outline.ts';
import { showText } from '../../core/text/terminal/show.ts';
import { claimFile } from '../loop/clone-claim.ts';
import { artifactTexts, dependencyChain, outlineIds, subjectOf } from '../perform/gather-context.ts';
import type { Performed } from '../perform/perform-step.ts';
import { writeSession } from '../perform/session-file.ts';
import { stepFiles } from '../perform/step-folder.ts';
import { brokenStep } from './broken-step.ts';
import { changesFiles } from './settings-of-view.ts';
import type { RunStepInput, Step, StepRun } from './step.ts';
import { partsHere, type StepParts } from './step-parts.ts';
import { textStep } from './text-step.ts';
import { workStep } from './work-step.ts';

export async function runStep(input: RunStepInput): Promise<StepRun> {
  const { job, workspace } = input;
  const started_at = input.now();
  const clone = await workspace.createClone({
    name: job.session?.clone ?? `${job.id}.${job.step}.${job.claim.slice(0, 12)}`,
    branch: job.lane?.link.branch ?? `gza-look/${job.id}`,
    start: job.lane?.head ?? job.base.commit,
    base: job.base,
    purpose: changesFiles(job.step) ? 'change' : 'review',
  });
  await claimFile(clone).write(job.claim);
  const spool = join(clone.dir, 'spool', 'spool.jsonl');
  await mkdir(dirname(spool), { recursive: true });
  const runs: Performed[] = [];
  const step = { input, parts: countRuns(input.parts ?? partsHere, runs), clone, spool, started_at };
  await leaveFiles(step);
  return conclude(step, runs);
}

/** Once an agent has run, whatever goes wrong is told as the end of its step: it counts as a try, with its cost. */
async function conclude(step: Step, runs: readonly Performed[]): Promise<StepRun> {
  const { job, stateDir } = step.input;
  try {
    const run = await (changesFiles(job.step) ? workStep(step) : textStep(step));
    // A session that did what it should is over; one that was cut short can be gone on with.
    if (run.report.judged.outcome === 'ok') await writeSession(stateDir, job, null);
    return run;
  } catch (thrown) {
    if (runs.length === 0) throw thrown;
    return brokenStep(step, runs, thrown);
  }
}

function countRuns(parts: StepParts, runs: Performed[]): StepParts {
  return {
    ...parts,
    perform: async (input) => {
      const performed = await parts.perform(input);
      runs.push(performed);
      return performed;
    },
  };
}

/**
 * Files that an agent may ask for during a step: its prompt is bounded, and it has no ledger. Beside the spool what
 * `git tasks context` and `git tasks show` print there; in the work tree, ignored by git, whole plans and reviews.
 */
async function leaveFiles({ input, clone, spool }: Step): Promise<void> {
  const { project, view } = input;
  const { context, tasks } = stepFiles(spool);
  const chain = await dependencyChain(project, view);
  const ids = new Set([view.id, ...outlineIds(project, view), ...chain.map(({ id }) => id)]);
  await writeFile(context, contextText(project.board, ids, { bytesMax: null }));
  const near = new Set([
    view.id,
    subjectOf(project, view).id,
    ...view.children,
    ...chain.map(({ id }) => id),
  ]);
  const texts: Record<string, string> = {};
  for (const id of near)
    if (project.board.views.has(id)) texts[id] = showText(await wholeView(project, id), null);
  await writeFile(tasks, JSON.stringify(texts));
  for (const { path, text } of await artifactTexts(project, view, chain)) {
    const file = join(clone.treeDir, '.gza', path);
    if (await isOwnFolder(clone.treeDir, path)) await writeFile(file, text);
  }
}

/** A link in the work tree must not lead the file elsewhere, and a file that is there is the repository's. */
async function isOwnFolder(treeDir: string, path: string): Promise<boolean> {
  const folders = ['.gza', dirname(join('.gza', path))];
  for (const folder of folders) {
    const found = await lstat(join(treeDir, folder)).catch(() => null);
    if (found && !found.isDirectory()) return false;
    if (!found) await mkdir(join(treeDir, folder));
  }
  return (await lstat(join(treeDir, '.gza', path)).catch(() => null)) === null;
}
