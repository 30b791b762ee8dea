/**
 * The landing job: what the agent's job left becomes a commit, a record and a pull request. It never runs what it
 * is given; it goes through the step with what was written down in the agent's place, and pushes branch and ledger
 * together. What the host does not take is recorded with its reason, so that a try always counts.
 */

import { openProject } from '../../app/project.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import { pushRefusal } from '../../core/text/github/push-refusal.ts';
import { stateDirOf } from '../../engine/loop/state-dir.ts';
import { recordStep } from '../../engine/record/record-step.ts';
import { runStep } from '../../engine/step/run-step.ts';
import { changesFiles } from '../../engine/step/settings-of-view.ts';
import type { StepReport } from '../../engine/step/step.ts';
import type { RefMove } from '../../ledger/store/move-refs.ts';
import { readBranch } from '../../workspace/branch/read-branch.ts';
import { replayedParts } from '../left/recorded-parts.ts';
import { type Left, readLeft } from '../left/step-left.ts';
import { believedVerification } from '../left/verification-file.ts';
import { begunMark, commandAgain, isUnanswered } from '../pick/asked-steps.ts';
import { answersMark } from '../pick/kept-answers.ts';
import { startEvents } from '../pick/owed-starts.ts';
import { rememberRefs, share } from '../pick/share.ts';
import { jobMark } from '../pick/step-job.ts';
import type { Ci } from './ci.ts';
import { type OpenJob, openJob } from './open-job.ts';
import { prepareRepository } from './prepare-repository.ts';
import { receive } from './receive.ts';
import { recheckReport } from './recheck.ts';
import { printStarts } from './start-workflows.ts';
import { readVerification } from './verify.ts';

export interface Landed {
  readonly opened: OpenJob;
  readonly report: StepReport;
}

/** Null when there was nothing to land: the claim is gone. */
export async function landJob(ci: Ci): Promise<Landed | null> {
  const { ledger, repository } = await openProject(ci.ports);
  await prepareRepository(ci, repository);
  await receive(ci, ledger);
  const opened = await openJob(ci);
  if (!opened) {
    ci.say('The claim is not held any more: what the agent left stays in the artifact of this run.');
    return null;
  }
  const replayed = await (opened.job.isRecheck === true ? recheck(ci, opened) : replay(ci, opened));
  if (replayed === null) return giveBack(ci, opened);
  const report = await record(ci, opened, replayed, ci.ports.now());
  ci.say(`${report.record.step} of ${opened.job.id}: ${report.record.verdict ?? report.record.outcome}`);
  if (report.judged.error) ci.say(report.judged.error);
  ci.output('outcome', report.record.outcome);
  ci.output('start', startsOf(ci, opened, report));
  return { opened, report };
}

async function recheck(ci: Ci, opened: OpenJob): Promise<StepReport | null> {
  const result = ci.input('verify-result');
  if (result !== 'success' && result !== 'failure') return null;
  const verification = believedVerification(result, await readVerification(ci.input('verified')));
  return recheckReport(opened, verification, ci.ports.now());
}

async function giveBack(ci: Ci, { job, project }: OpenJob): Promise<null> {
  const at = ci.ports.now();
  await project.ledger.write(async (view) => ({
    changes: [
      {
        branch: view.base,
        events: [
          { kind: 'mark', at, name: jobMark(job.claim), value: null },
          { kind: 'release', at, claim: job.claim, why: 'its checks did not end' },
        ],
      },
    ],
  }));
  await share(ci, project.ledger, []);
  ci.say('The checks did not come to an end; the next pick runs them again.');
  return null;
}

function startsOf(ci: Ci, { job: { lane }, project: { config } }: OpenJob, report: StepReport): string {
  if (!lane || !isToStart(report)) return '';
  const { branch } = lane.link;
  return printStarts(
    ci,
    config.ci_workflow.map((workflow) => ({ workflow, branch })),
  );
}

function isToStart({ commit, record }: StepReport): boolean {
  return commit !== null && record.outcome === 'ok';
}

async function replay(ci: Ci, opened: OpenJob): Promise<StepReport> {
  const { ports } = ci;
  const { job, project, view, workspace } = opened;
  const left = await whatWasLeft(ci, opened);
  const verification = changesFiles(job.step)
    ? believedVerification(ci.input('verify-result'), await readVerification(ci.input('verified')))
    : null;
  const times = timesOf(left, opened, ports.now());
  const { report } = await runStep({
    project,
    view,
    job,
    workspace,
    parts: replayedParts(left, verification),
    caller: {},
    stateDir: stateDirOf(project),
    now: () => times.shift() ?? times.end,
    signal: ports.signal,
    sleep: async () => {},
  });
  return report;
}

/** The step began and ended when the other machine says so, as far as that can be. */
function timesOf({ left }: Left, { claim }: OpenJob, now: string) {
  const within = (time: string) => {
    const iso = new Date(time).toISOString();
    return iso < claim.at ? claim.at : iso > now ? now : iso;
  };
  const times = [within(left.started_at)];
  return { shift: () => times.shift(), end: within(left.ended_at) };
}

async function whatWasLeft(ci: Ci, { job, claim }: OpenJob): Promise<Left> {
  const found = await readLeft(ci.input('left'), { task: job.id, claim: job.claim, step: job.step });
  if (found.kind === 'left') return found;
  const result = ci.input('agent-result');
  const isCancelled = result === 'cancelled';
  const why =
    found.kind === 'unreadable'
      ? `what the agent’s job left cannot be read: ${found.why}`
      : `the agent’s job ended (${result || 'without a result'}) and left nothing`;
  return {
    left: {
      v: 1,
      task: job.id,
      claim: job.claim,
      step: job.step,
      started_at: claim.at,
      ended_at: ci.ports.now(),
      runs: [
        {
          agent: { name: job.agent },
          kind: isCancelled ? 'cancelled' : 'crash',
          text: '',
          error: why,
          turns: 0,
          usage: null,
          costUsd: null,
        },
      ],
      spool_cut: false,
      skipped: [],
      skipped_count: 0,
      discarded: [],
    },
    patch: null,
    spool: '',
  };
}

async function record(ci: Ci, opened: OpenJob, report: StepReport, at: string): Promise<StepReport> {
  const { job, project, workspace } = opened;
  const branch = branchMove(opened, report);
  const moved = branch
    ? ((await readBranch(workspace.repository, job.lane?.link.branch ?? ''))?.oid ?? null)
    : null;
  if (branch && moved !== branch.from) return recordWithout(ci, opened, report, movedStop, at);
  const goBack = await rememberRefs(project.ledger);
  const { lane } = job;
  // Who is killed before the next job heard of it owes it to the next pick.
  const starts =
    lane && isToStart(report) ? startEvents(ci, project, lane.link.branch, report.commit ?? '') : [];
  await write(opened, report, at, starts);
  const shared = await share(ci, project.ledger, branch ? [branch] : []);
  switch (shared.kind) {
    case 'shared':
    case 'nothing':
      return report;
    case 'refused':
      await goBack();
      return recordWithout(ci, opened, report, pushStop(opened, shared.why), at);
    case 'moved':
      await goBack();
      return recordWithout(ci, opened, report, movedStop, at);
  }
}

function pushStop({ job }: OpenJob, said: string) {
  const branch = job.lane?.link.branch ?? 'its branch';
  return { reason: 'push-refused', detail: pushRefusal(branch, said).slice(0, 3_500) };
}

const movedStop = {
  reason: 'branch-moved',
  detail: 'someone pushed to its branch while the step ran; its work is in the artifact of the run',
};

function branchMove({ job: { lane } }: OpenJob, { commit }: StepReport): RefMove | null {
  if (!lane || commit === null) return null;
  return { ref: `refs/heads/${lane.link.branch}`, to: commit, from: lane.hasBranch ? lane.head : null };
}

/** The ledger alone, with the reason: the try counts, and a person is asked. */
async function recordWithout(
  ci: Ci,
  opened: OpenJob,
  report: StepReport,
  stop: { readonly reason: string; readonly detail: string },
  at: string,
): Promise<StepReport> {
  const { diff: _diff, verified: _verified, ...step } = report.record;
  const without: StepReport = {
    ...report,
    commit: null,
    judged: { outcome: 'failed', error: stop.detail, stop },
    record: {
      ...step,
      outcome: 'failed',
      error: stop.detail,
      ...(opened.job.lane ? { head: opened.job.lane.head } : {}),
    },
  };
  await write(opened, without, at);
  await share(ci, opened.project.ledger, []);
  return without;
}

/** What a person asked for and this try did not answer. */
function askedAgain(
  { judged, record }: StepReport,
  task: TaskRecord | undefined,
  marks: Readonly<Record<string, string>>,
  begun: string,
) {
  const command = marks[begun];
  const isStopped = judged.stop !== undefined || task?.stop !== undefined || task?.paused_at !== undefined;
  if (command === undefined || !isUnanswered(record, isStopped)) return null;
  return commandAgain(command, marks, record.outcome);
}

async function write(
  { job, claim, project, workspace }: OpenJob,
  report: StepReport,
  at: string,
  also: readonly Event[] = [],
): Promise<void> {
  const { ledger, config } = project;
  await ledger.write(async (view) => {
    const marks = (await view.meta(view.base))?.marks ?? {};
    const names = [jobMark(job.claim), begunMark(job.claim), answersMark(claim.run ?? '')];
    const done = names.filter((name) => marks[name] !== undefined);
    const events: Event[] = [
      ...also,
      ...done.map((name): Event => ({ kind: 'mark', at, name, value: null })),
    ];
    const again = askedAgain(report, (await view.task(job.id))?.record, marks, begunMark(job.claim));
    if (again) events.push({ kind: 'mark', at, ...again });
    return { changes: [{ branch: view.base, events }] };
  });
  await recordStep(ledger, {
    job,
    report,
    at,
    agentTasks: config.agent_tasks,
    repository: workspace.repository,
  });
}
