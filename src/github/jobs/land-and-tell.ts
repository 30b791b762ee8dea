/** Land, and then the pull request. */

import { summariseProject } from '../../app/facts/escalations-of.ts';
import { loadProject, type Project } from '../../app/project.ts';
import type { GzaError } from '../../core/errors.ts';
import { decide } from '../../core/policy/decide.ts';
import { printStepSummary } from '../../core/text/github/step-summary.ts';
import { reviewContext, verifyContext } from '../../core/text/terminal/status-text.ts';
import { ciFacts } from '../pick/ci-facts.ts';
import { lanesOf } from '../pick/lane-world.ts';
import { laneStatuses } from '../publish/lane-statuses.ts';
import { sayMissing } from '../publish/missing-permissions.ts';
import { setStatuses, tellPull } from '../publish/tell-pull.ts';
import { nothingTold } from '../publish/told.ts';
import type { Ci } from './ci.ts';
import { type Landed, landJob } from './land.ts';

export async function landAndTell(ci: Ci): Promise<void> {
  const landed = await landJob(ci);
  if (!landed) return;
  const project = await loadProject(ci.ports, landed.opened.project);
  await tellSummary(ci, landed, project);
  const branch = landed.opened.job.lane?.link.branch;
  if (branch === undefined) return;
  const { workspace } = landed.opened;
  const missing: GzaError[] = [];
  const onMissing = (error: GzaError) => missing.push(error);
  const alone = (await lanesOf(project, workspace.repository, [])).get(branch);
  if (!alone || alone.head === null) return;
  const { step } = landed.report.record;
  // Before the pull request is read, so that nothing comes between that and its writing.
  const wanted = laneStatuses(project, alone.tasks, { head: alone.head, diff: alone.diff });
  const own = wanted.filter(({ context }) => context === (step === 'review' ? reviewContext : verifyContext));
  const standing = await setStatuses(ci.forge(), own, nothingTold, onMissing);
  // Where none is known there is none yet: who opens one finds it otherwise.
  const isKnown = alone.tasks.some(({ record }) => record?.pull_request !== undefined);
  const pulls = isKnown ? await ci.forge().pullsOfBranches([branch]) : [];
  const worlds = await lanesOf(project, workspace.repository, pulls);
  const lane = worlds.get(branch);
  if (!lane || lane.head === null) return;
  const decisions = decide(await ciFacts(project, worlds, new Set()));
  const { tasks, head, diff, pull } = lane;
  const isReviewFresh = step === 'review';
  // Others that are missing too may have been posted by a job that was killed.
  const isAnswerFresh = step === 'improve';
  await tellPull(ci, {
    project,
    decisions,
    branch,
    tasks,
    head,
    diff,
    pull,
    isReviewFresh,
    isAnswerFresh,
    isJustRead: true,
    standing,
    onMissing,
  });
  if (missing.length > 0) sayMissing(ci, missing);
}

async function tellSummary(ci: Ci, { opened, report }: Landed, project: Project): Promise<void> {
  const { job } = opened;
  const { record, gist } = report;
  const seconds = Math.round((Date.parse(record.ended_at) - Date.parse(record.started_at)) / 1000);
  const outcome = record.verdict ?? record.outcome;
  const row = {
    task: job.id,
    step: job.step,
    outcome,
    agent: job.agent,
    seconds,
    ...(record.cost_usd === undefined ? {} : { cost_usd: record.cost_usd }),
  };
  const said = `${job.step} of ${job.id}: ${outcome}${gist ? ` (${gist})` : ''}`;
  const { board } = project;
  const summary = await summariseProject(project);
  ci.summary(printStepSummary({ job: 'land', said, board, decisions: [], rows: [row], summary }));
}
