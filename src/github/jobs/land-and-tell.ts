/** Land, and then the pull request. */

import { summariseProject } from '../../app/facts/escalations-of.ts';
import { loadProject, type Project } from '../../app/project.ts';
import type { GzaError } from '../../core/errors.ts';
import { decide } from '../../core/policy/decide.ts';
import { printStepSummary } from '../../core/text/github/step-summary.ts';
import { ciFacts } from '../pick/ci-facts.ts';
import { lanesOf } from '../pick/lane-world.ts';
import { sayMissing } from '../publish/missing-permissions.ts';
import { tellPull } from '../publish/tell-pull.ts';
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
  const pulls = await ci.forge().pullsOfBranches([branch]);
  const worlds = await lanesOf(project, workspace.repository, pulls);
  const lane = worlds.get(branch);
  if (!lane || lane.head === null) return;
  const decisions = decide(await ciFacts(project, worlds, new Set()));
  const { tasks, head, diff, pull } = lane;
  const isReviewFresh = landed.report.record.step === 'review';
  // Others that are missing too may have been posted by a job that was killed.
  const isAnswerFresh = landed.report.record.step === 'improve';
  const missing: GzaError[] = [];
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
    onMissing: (error) => missing.push(error),
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
