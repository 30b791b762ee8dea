/**
 * Runs the whole loop in one job that holds the token, as on a laptop. Then updates pull requests, statuses,
 * reviews and the board, like a landing job. Only for repositories in which everything is trusted; the caller
 * checks that.
 */
import { loadProject, openProject } from '../../app/project.ts';
import { decide } from '../../core/policy/decide.ts';
import { boardIssueTitle } from '../../core/text/github/board-issue.ts';
import { openWork } from '../../engine/loop/work-run.ts';
import { ciFacts, lanesOf, liveBranches } from '../pick/lane-world.ts';
import { endWith, updateLanesAndBoard } from '../pick/pick-and-update.ts';
import { receive } from '../pick/push-state.ts';
import type { JobContext } from './job-context.ts';
import { prepareRepository } from './open-job.ts';

/** `run` runs the verb. Its exit status becomes that of the job. */
export async function workJob(ci: JobContext, run: () => Promise<number>): Promise<number> {
  const { ledger, repository } = await openProject(ci.ports);
  await prepareRepository(ci, repository);
  await receive(ci, ledger, { shallow: false });
  ledger.close();
  const code = await run();
  const opened = await openProject(ci.ports);
  const project = await loadProject(ci.ports, opened);
  const workspace = await openWork(opened);
  const { pulls, issue } = await ci.forge().lanesAndIssue(liveBranches(project), boardIssueTitle);
  const worlds = await lanesOf(project, workspace.repository, pulls);
  const failures = await updateLanesAndBoard(ci, {
    lanes: [],
    project,
    worlds,
    intake: { ended: new Set(), dispatched: null, answers: [], kept: [], ticks: new Map(), boardTicks: [] },
    boardIssue: issue,
    decisions: decide(await ciFacts(project, worlds, new Set())),
    rebased: [],
    failures: [],
  });
  opened.ledger.close();
  if (failures.length > 0) endWith(ci, failures, false);
  return code;
}
