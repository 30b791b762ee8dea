/** Runs one task in the person's own tree: claims it, runs an agent once, and judges the result. */
import { join } from 'node:path';
import { agentEnvironment, personsEnvironment } from '../../agents/agent-environment.ts';
import { type AgentRun, runAgent } from '../../agents/run-agent.ts';
import { localRun } from '../../app/facts/facts.ts';
import { homeBranch, loadProject, type Project } from '../../app/project.ts';
import { definitionNow, wholeView, writeToTask } from '../../app/tasks/change-task.ts';
import { commitOf, headCommit, writeLinks } from '../../app/tasks/settle-links.ts';
import type { TaskView } from '../../core/board/board.ts';
import { modelOf } from '../../core/config/config.ts';
import { GzaError } from '../../core/errors.ts';
import { stepOfType } from '../../core/ledger/record/record.ts';
import { endings } from '../../core/policy/endings.ts';
import { questionIn } from '../../core/spool/question.ts';
import { blockedReason } from '../../core/spool/spool.ts';
import { addSeconds } from '../../core/time.ts';
import { claimTask, releaseClaim } from '../../ledger/claim.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { costChanges, recordOf } from '../conclude/step-report.ts';
import { type StepJob, timeoutMinutes } from '../engine.ts';
import { runLeft } from '../left.ts';
import { adapterFor, pathWithShims, pricesOf } from '../perform/ask-agent.ts';
import { promptFor } from '../perform/perform.ts';
import { baseOf } from './lane-of.ts';
import { agentOrder, leastUsd } from './plan-step.ts';
import { holdClaim, leaseSeconds, workedOf } from './run-claimed.ts';
import type { HereChoice } from './run-here.ts';
import { openStateDir } from './state-dir.ts';
import type { Worked, WorkPorts } from './work-run.ts';

/** How a turn ended. `left`: nobody failed, the task is simply left. `waits`: a person must act. */
export type TurnEnd =
  | { readonly kind: 'done'; readonly commit: string | null }
  | { readonly kind: 'failed' | 'waits' | 'left'; readonly why: string };

export interface TurnInput {
  readonly project: Project;
  readonly view: TaskView;
  readonly workspace: Workspace;
  readonly choice: HereChoice;
  /** The steps of the run; each turn adds its own. */
  readonly steps: Worked[];
}

const idleMs = 900_000;
const outputBytesMax = 64 << 20;

/** The lane name that claims here use. It makes sure that only one run works in a folder. */
export function laneHere({ repository, view }: Pick<Project, 'repository' | 'view'>): string {
  return `here:${homeBranch(repository, view)}`;
}

export function agentHere({ settings }: Project, { task }: TaskView, choice: HereChoice): string {
  return agentOrder({ settings: settings(task), choice })[0] ?? 'claude';
}

export async function turnHere(input: TurnInput, ports: WorkPorts): Promise<TurnEnd> {
  const { project, view, choice } = input;
  const at = ports.now();
  const settings = project.settings(view.task);
  const agent = agentHere(project, view, choice);
  const step = stepOfType(view.task.type);
  const job: StepJob = {
    id: view.id,
    step,
    cycle: 0,
    agent,
    timeoutMinutes: timeoutMinutes(step, settings),
    lane: null,
    base: await baseOf(project, input.workspace.repository),
    claim: ports.random(),
  };
  const model = modelHere(input, agent);
  const budget = settings.budget ?? project.config.budget.task;
  const left =
    budget === undefined ? {} : { budgetUsd: Math.max(leastUsd, budget - (view.record?.cost_usd ?? 0)) };
  const priced: StepJob = { ...job, ...(model === undefined ? {} : { model }), ...left };
  const adopted = await definitionNow(project, view.id, { at });
  const claimed = await claimTask(project.ledger, {
    claim: {
      id: job.claim,
      task: view.id,
      lane: laneHere(project),
      holder: agent,
      at,
      until: addSeconds(at, leaseSeconds),
      run: localRun(),
      ...(left.budgetUsd === undefined ? {} : { reserved_usd: left.budgetUsd }),
    },
    at,
    ...(adopted ? { also: async () => [{ branch: project.view.base, events: [adopted] }] } : {}),
  });
  if (claimed.kind !== 'claimed') return { kind: 'left', why: claimed.detail };
  const held = holdClaim(project, job, ports);
  let run: AgentRun | undefined;
  try {
    const now = await loadProject(ports, project);
    const whole = await wholeView(now, view.id);
    const before = await treeNow(project);
    run = await ask({ ...input, project: now, view: whole }, priced, held.signal, ports);
    const isHalted = held.signal.aborted;
    held.end();
    return await endOf(project, whole, { run, agent, before, isHalted }, ports);
  } finally {
    held.end();
    if (run) input.steps.push(await recordCost(project, priced, run, { at, ended_at: ports.now() }));
    else await releaseClaim(project.ledger, { claim: job.claim, at: ports.now(), why: 'run ended' });
  }
}

function modelHere({ project, view, choice }: TurnInput, agent: string): string | undefined {
  const { model, agents } = project.settings(view.task);
  return choice.model ?? modelOf(model, agent, agents[0]) ?? project.config.agents[agent]?.model;
}

/** Records the cost of the run when it releases the claim. A run here never counts as an attempt. */
async function recordCost(
  { ledger }: Project,
  job: StepJob,
  run: AgentRun,
  { at, ended_at }: { readonly at: string; readonly ended_at: string },
): Promise<Worked> {
  const left = { runs: [runLeft(run, [])], started_at: at, ended_at };
  const stepOf = (isClosed: boolean) => recordOf(job, left, { outcome: isClosed ? 'ok' : 'cancelled' });
  let step = stepOf(false);
  await ledger.write(async (view) => {
    step = stepOf((await view.task(job.id))?.record.closed_at !== undefined);
    return { changes: await costChanges(view, job, { step, why: 'run ended', at: ended_at }) };
  });
  return workedOf(job.id, step);
}

async function ask(
  { project, view, workspace, choice }: TurnInput,
  job: StepJob,
  signal: AbortSignal,
  ports: WorkPorts,
): Promise<AgentRun> {
  const stateDir = await openStateDir(project);
  const cwd = project.repository.workTree ?? project.repository.commonDir;
  const adapter = adapterFor(job.agent, project.config, choice.runner);
  const home = join(stateDir, 'homes', `here-${job.agent}`);
  // The claim's id marks the agent's processes, so that a later sweep finds them if this run is killed.
  const set = { PATH: await pathWithShims(stateDir, ports.env), GZA_CLAIM: job.claim };
  const own = { caller: ports.env, adapter, taskId: view.id, set };
  const environment = choice.isolate
    ? agentEnvironment({ ...own, home, allow: project.config.env })
    : personsEnvironment(own);
  const { repository } = workspace;
  return runAgent({
    adapter,
    environment,
    request: {
      prompt: await promptFor({
        project,
        view,
        job: { ...job, step: 'implement' },
        repository,
        commits: 'agent',
      }),
      cwd,
      home,
      access: 'full',
      model: job.model,
      budgetUsd: job.budgetUsd,
      promptVia: 'argument',
    },
    prices: pricesOf(project.config, job),
    limits: { timeoutMs: job.timeoutMinutes * 60_000, idleMs, outputBytesMax },
    logPath: join(stateDir, 'logs', `${view.id}-${job.claim.slice(0, 8)}-here.log`),
    userHome: ports.env['HOME'],
    proxy: choice.isolate,
    asPerson: !choice.isolate,
    signal,
    onLine: (line) => ports.say(`  ${line}`),
  });
}

interface Tree {
  readonly head: string | null;
  readonly status: string;
}

/** A snapshot of the tree, to tell whether an agent changed anything. */
async function treeNow({ repository }: Project): Promise<Tree> {
  const { workTree, git } = repository;
  const status = workTree === null ? '' : await git.text(['-C', workTree, 'status', '--porcelain']);
  return { head: (await headCommit(repository))?.id ?? null, status };
}

interface Ended {
  readonly run: AgentRun;
  readonly agent: string;
  readonly before: Tree;
  readonly isHalted: boolean;
}

async function endOf(
  before: Project,
  view: TaskView,
  { run, agent, before: tree, isHalted }: Ended,
  ports: WorkPorts,
): Promise<TurnEnd> {
  const { id } = view;
  const project = await loadProject(ports, before);
  const { record } = await wholeView(project, id);
  if (record?.closed_as === 'done') return { kind: 'done', commit: await linked(project, id, tree, ports) };
  const { kind, error, text } = run.result;
  const said = (record?.notes ?? []).slice(view.record?.notes?.length ?? 0).map(blockedReason);
  const blocked =
    said.find((reason) => reason !== null) ?? (await askedInstead(project, tree, { kind, text }));
  if (blocked !== null && !record?.closed_at) {
    const detail = blocked.trim() || 'the agent says that it is blocked';
    await writeToTask(project, id, ports, (_record, stamp) => [
      { kind: 'stop', ...stamp, id, stop: { reason: 'agent-blocked', detail, at: stamp.at } },
    ]);
    return { kind: 'waits', why: detail };
  }
  // The person who stopped it was told already, and Ctrl-C is not a failure of the agent.
  if (isHalted || kind === 'cancelled' || record?.closed_at) return { kind: 'left', why: '' };
  // Another try would not help, and the task is not to blame.
  if (endings[kind].means === 'cannot' || kind === 'usage_limit') {
    throw new GzaError('world', `${agent} cannot run: ${error ?? kind}`, {
      hint: 'Nothing was changed; another agent can be named, for example: git tasks run --codex',
    });
  }
  const failed =
    kind === 'ok'
      ? 'the agent ended without marking the task done'
      : `the agent failed (${kind})${error ? `: ${error.split('\n')[0]}` : ''}`;
  return { kind: 'failed', why: failed };
}

/** The agent's question, if it changed nothing. Otherwise it has worked, even if it asks at the end. */
async function askedInstead(
  project: Project,
  before: Tree,
  { kind, text }: Pick<AgentRun['result'], 'kind' | 'text'>,
): Promise<string | null> {
  const question = kind === 'ok' || kind === 'denied' ? questionIn(text) : null;
  if (question === null) return null;
  const { head, status } = await treeNow(project);
  return head === before.head && status === before.status ? question : null;
}

/** The commit that closed the task: one that `done` recorded, or one that the agent made afterwards. */
async function linked(
  project: Project,
  id: string,
  { head }: Tree,
  ports: WorkPorts,
): Promise<string | null> {
  const known = project.board.views.get(id)?.record?.closed_commit;
  if (known) return known;
  const commit = await commitOf(project, id, head === null ? ['HEAD'] : [`${head}..HEAD`]);
  if (commit) await writeLinks(project, [{ id, commit }], ports);
  return commit;
}
