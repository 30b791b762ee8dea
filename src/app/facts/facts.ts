/** The facts that the rules may look at, gathered from a repository without using a forge. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { isLeaf, oldestFirst, type TaskView } from '../../core/board/board.ts';
import { type Summary, summarise } from '../../core/board/summary.ts';
import { knownAgents } from '../../core/config/config.ts';
import { failedBaselines, pausedMark } from '../../core/ledger/ledger-state.ts';
import type { Claim, LaneLink } from '../../core/ledger/record/record.ts';
import type { Facts, LaneFacts, RuleSettings } from '../../core/policy/decide.ts';
import { type Readiness, readinessOf } from '../../core/policy/readiness.ts';
import type { Task } from '../../core/task/task.ts';
import type { Waiting } from '../../core/text/terminal/work-summary.ts';
import { isGzaEmail } from '../../git/git.ts';
import { listRefs } from '../../git/refs.ts';
import type { Project } from '../project.ts';

/** `place` is the machine where checks run. */
export async function localFacts(project: Project, place: string = hostname()): Promise<Facts> {
  const atWork = [...project.board.views.values()].filter((view) => isAtWork(view) || isDoneInLane(view));
  return factsWith(project, await laneHeads(project, atWork), place);
}

/**
 * For lists of ready tasks. Branches are read only for tasks that were tried and are pending again, because
 * the other pending tasks have no branch.
 */
export async function readinessIn(project: Project): Promise<Readiness> {
  return readinessOf(await factsWith(project, await laneHeads(project, begunInVain(project))));
}

export function begunInVain({ board }: Pick<Project, 'board'>): TaskView[] {
  return [...board.views.values()].filter((view) => view.status === 'pending' && isAtWork(view));
}

async function factsWith(
  project: Project,
  heads: ReadonlyMap<string, Heads>,
  place: string = hostname(),
): Promise<Facts> {
  const { board, config, view: ledgers } = project;
  const meta = await ledgers.meta(ledgers.base);
  const spentToday = meta?.spent?.[board.now.slice(0, 10)] ?? 0;
  const { day } = config.budget;
  const baselineOf = await failedBaseline(project, meta?.marks ?? {}, place);
  const lanes = new Map<string, LaneFacts>();
  const resolved = new Map<Task, RuleSettings>();
  return {
    board,
    // Cached, because the rules ask for the settings of a task many times.
    settings: (task) => {
      const known = resolved.get(task);
      if (known) return known;
      const settings = project.settings(task);
      const own = { ...settings, budget: settings.budget ?? config.budget.task ?? null };
      resolved.set(task, own);
      return own;
    },
    lane: (view) => {
      const baseline = baselineOf(view);
      const made = () => ({
        ...laneFacts(view, project, heads.get(view.id)),
        ...(baseline === undefined ? {} : { baseline }),
      });
      const known = lanes.get(view.id) ?? made();
      lanes.set(view.id, known);
      return known;
    },
    command: () => null,
    alive: (claim) => isAlive(claim, board.now),
    limits: meta?.not_before ?? {},
    parallelWorkers: config.parallel_workers,
    dollarsLeft: day === undefined ? null : day - spentToday,
    paused: meta?.marks?.[pausedMark],
    agents: agentNames(project),
  };
}

/** Tells why the checks fail on the base, for tasks that begin at the commit that is now its head. */
async function failedBaseline(
  project: Project,
  marks: Readonly<Record<string, string>>,
  place: string,
): Promise<(view: TaskView) => string | undefined> {
  const failed = failedBaselines(marks, place, project.board.now);
  if (failed.size === 0) return () => undefined;
  const tips = await branchTips(project);
  const { base } = project.view;
  const head = tips.get(`refs/heads/${base}`) ?? tips.get(`refs/remotes/origin/${base}`) ?? '';
  return ({ task, record }) => {
    const from = record?.lane?.folded_at === undefined ? record?.lane?.fork_point : undefined;
    // The project's checks do not apply to a task that has checks of its own.
    const isAsked = task.verify === undefined && project.settings(task).baseline !== 'skip';
    if (!isAsked || (from ?? head) !== head) return undefined;
    return failed.get(head);
  };
}

function laneFacts(view: TaskView, project: Project, heads: Heads | undefined): LaneFacts {
  const branch = laneBranch(project, view);
  const state = view.record?.pull_request?.state;
  return {
    branch,
    ...heads,
    ...(state ? { pull: { state } } : {}),
  };
}

/** Names of agents: a task whose `assigned_agent` is none of them is assigned to a person. */
export function agentNames({ config }: Pick<Project, 'config'>): string[] {
  return [...new Set([...knownAgents, ...Object.keys(config.agents)])];
}

/**
 * The branch a task works on: its own, that of its dependency with same_branch, or `gza/<id>`. It is fixed
 * at the first claim.
 */
export function laneBranch(project: Pick<Project, 'board' | 'config' | 'view'>, view: TaskView): string {
  let at: TaskView = view;
  for (let steps = 0; steps < 1000; steps += 1) {
    const lane = at.record?.lane;
    if (lane && !lane.folded_at) return lane.branch;
    if (at.branch !== null && at.branch !== project.view.base) return at.branch;
    if (at.task.branch !== undefined) return at.task.branch;
    // A review or an improve works on the branch of the task it depends on.
    const follows = at.task.same_branch || at.task.type === 'review' || at.task.type === 'improve';
    const before: TaskView | undefined = follows
      ? project.board.views.get(at.task.depends_on?.[0] ?? '')
      : undefined;
    // A merged or closed lane is not continued, so the task begins on a branch of its own.
    if (!before || before.record?.merged_at || before.record?.lane?.folded_at) break;
    at = before;
  }
  return `${project.config.branch_prefix}${at.id}`;
}

/** Names this process by host, process id and start time, because process ids are reused. */
export function localRun(pid = process.pid): string {
  return `local:${hostname()}:${pid}:${startOf(pid)}`;
}

/**
 * A claim of this machine is alive as long as its process is, because a laptop that slept could not renew
 * it. Any other claim is dead when its lease has run out.
 */
export function isAlive(claim: Claim, now: string): boolean {
  const [kind, host, pid, since = ''] = claim.run?.split(':') ?? [];
  const isLocal = kind === 'local' && host === hostname() && pid !== undefined;
  return isLocal ? isRunning(Number(pid), since) : claim.until > now;
}

function isRunning(pid: number, since: string): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const start = startOf(pid);
  return since === '' || start === '' || since === start;
}

/** Linux reports when a process started. Elsewhere the process id alone must do. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

/** Where a task's branch is now, and whether a person committed to it. */
type Heads = Pick<LaneFacts, 'head' | 'diff' | 'gone' | 'personCommits'>;

/** Whether the task has a branch on which a step ran. */
function isAtWork({ record }: TaskView): boolean {
  const { lane, closed_at, steps = [] } = record ?? {};
  return lane !== undefined && !lane.folded_at && !closed_at && steps.length > 0;
}

/** Whether the task is done and its branch waits to be merged. */
function isDoneInLane({ record }: TaskView): boolean {
  const { lane, closed_as, closed_commit, merged_at } = record ?? {};
  const isInLane = lane !== undefined && !lane.folded_at && merged_at === undefined;
  return isInLane && closed_as === 'done' && closed_commit !== undefined;
}

async function laneHeads(project: Project, atWork: readonly TaskView[]): Promise<ReadonlyMap<string, Heads>> {
  if (atWork.length === 0) return new Map();
  const tips = await branchTips(project);
  const heads = new Map<string, Heads>();
  for (const view of atWork) heads.set(view.id, await headsOf(project, view, tips));
  return heads;
}

/** Maps the full names of local branches and fetched ones to commits. */
export async function branchTips({ repository }: Project): Promise<ReadonlyMap<string, string>> {
  const rows = await listRefs(repository, ['refs/heads', 'refs/remotes/origin']);
  return new Map(rows.map(({ ref, oid }) => [ref, oid]));
}

async function headsOf(
  project: Project,
  { record }: TaskView,
  tips: ReadonlyMap<string, string>,
): Promise<Heads> {
  const branch = record?.lane?.branch ?? '';
  const last = lastHead(project, branch);
  const head = tips.get(`refs/heads/${branch}`) ?? tips.get(`refs/remotes/origin/${branch}`);
  if (head === undefined) return (await hadBranch(project, last)) ? { gone: true } : {};
  if (last === undefined || head === last.head) {
    return last?.diff === undefined ? { head } : { head, diff: last.diff };
  }
  return { head, personCommits: await hasForeignCommits(project, last.head, head) };
}

interface LastHead {
  readonly head: string;
  readonly diff?: string | undefined;
  readonly isFork: boolean;
}

/** The commit that the branch's last step left, whichever of its tasks that step belonged to. */
function lastHead({ board }: Project, branch: string): LastHead | undefined {
  let last: { head: string; diff?: string | undefined; at: string; isFork: boolean } | undefined;
  let rebased: LaneLink['rebased'];
  for (const { record } of board.views.values()) {
    if (record?.lane?.branch !== branch) continue;
    for (const { head, diff, ended_at } of record.steps ?? []) {
      if (head === undefined || (last && ended_at < last.at)) continue;
      last = { head, diff, at: ended_at, isFork: head === record.lane.fork_point };
    }
    // Lists leave out the steps of closed tasks, so their closing commit is used.
    if (record.closed_commit && record.closed_at && (!last || last.at < record.closed_at))
      last = { head: record.closed_commit, diff: undefined, at: record.closed_at, isFork: false };
    rebased ??= record.lane.rebased;
  }
  // After that step, gza itself rebased the branch.
  if (last && rebased?.from === last.head) return { ...last, head: rebased.to, diff: rebased.diff };
  return last;
}

/** A branch counts as deleted only if it existed here: not if it was never created or never fetched. */
async function hadBranch({ repository }: Project, last: LastHead | undefined): Promise<boolean> {
  if (!last || last.isFork) return false;
  return (await repository.git.run(['cat-file', '-e', `${last.head}^{commit}`])).code === 0;
}

/** Whether a person committed since `from`. Merges of the base and commits by gza do not count. */
async function hasForeignCommits({ repository, view }: Project, from: string, to: string): Promise<boolean> {
  const isAncestor = await repository.git.run(['merge-base', '--is-ancestor', from, to]);
  if (isAncestor.code === 1) return true;
  const args = [
    'log',
    '--no-merges',
    '--max-count=200',
    '--format=%ce',
    to,
    `^${from}`,
    `^refs/heads/${view.base}`,
  ];
  const log = await repository.git.run([...args, '--']);
  const mails = log.stdout.toString('utf8').split('\n').filter(Boolean);
  return log.code === 0 && mails.some((mail) => !isGzaEmail(mail));
}

/** Every task that waits for a person, with the reason and the commands that resolve it. */
export function escalationsOf(project: Pick<Project, 'board' | 'config'>): Waiting[] {
  const agents = new Set(agentNames(project));
  return oldestFirst(project.board).flatMap((view) => {
    const why = reasonOf(view) ?? assignedTo(view, agents);
    return why
      ? [{ id: view.id, title: view.task.title, ...why, commands: commandsFor(view, why.reason) }]
      : [];
  });
}

function reasonOf(view: TaskView): { reason: string; detail: string } | null {
  const { record, invalid, status, blockers, awaitsApproval, unapproved } = view;
  if (record?.stop && !record.merged_at) return record.stop;
  // A parent that failed because of a subtask has nothing of its own to retry.
  if (status === 'failed' && record?.closed_as === 'failed')
    return { reason: 'failed', detail: record.closed_reason ?? record.error ?? 'it failed' };
  if (unapproved && record?.final_verdict) {
    return {
      reason: record.final_verdict.toLowerCase().replaceAll('_', '-'),
      detail: record.closed_reason ?? `it ended ${record.final_verdict}`,
    };
  }
  if (awaitsApproval) return { reason: 'approval', detail: 'it is done and waits for approval' };
  if (invalid) return { reason: 'invalid', detail: invalid };
  const complex = blockers.find(({ kind }) => kind === 'complex');
  if (complex) return { reason: 'too-complex', detail: `it waits for ${complex.text}` };
  const cycle = blockers.find(({ kind }) => kind === 'cycle');
  return cycle ? { reason: 'cycle', detail: cycle.text } : null;
}

/** An unblocked task that is assigned to a person waits for that person. */
function assignedTo(view: TaskView, agents: ReadonlySet<string>): { reason: string; detail: string } | null {
  const holder = view.task.assigned_agent;
  if (view.status !== 'pending' || !isLeaf(view) || !holder || agents.has(holder)) return null;
  return { reason: 'assigned', detail: `it is assigned to ${holder}` };
}

function commandsFor({ id }: TaskView, reason: string): string[] {
  switch (reason) {
    case 'failed':
      return [`gza retry ${id}`, `gza skip ${id}`, `gza done ${id}`];
    case 'approval':
      return [`gza show ${id}`, `gza approve ${id}`];
    case 'assigned':
      return [`gza claim ${id}`, `gza done ${id}`, `gza assign ${id} ""`];
    case 'too-complex':
      return [`gza score ${id}`, `gza split ${id} --write`, `gza approve ${id}`];
    case 'invalid':
    case 'cycle':
      return ['gza check'];
    case 'max-cycles':
    case 'max-cycles-reached':
    case 'changes-requested':
    case 'needs-discussion':
    case 'same-findings':
    case 'improve-without-effect':
    case 'diff-undone':
    case 'same-blocker-again':
      return [
        `gza improve ${id} --review "what to do"`,
        `gza approve ${id}`,
        `gza edit ${id} --verdict APPROVED`,
      ];
    case 'no-verdict':
      return [`gza resume ${id}`, `gza edit ${id} --verdict APPROVED`];
    case 'agent-blocked':
      return [`gza note ${id} "the answer"`, `gza resume ${id}`];
    case 'not-integrated':
      return [`gza diff ${id}`, `gza rebase ${id}`, `gza checkout ${id}`];
    case 'slices-spent':
      return [`gza resume ${id}`, `gza split ${id}`];
    case 'refused-changes':
      return [`gza kept ${id} --patch`, `gza kept ${id} --discard`, `gza retry ${id}`, `gza skip ${id}`];
    case 'changes-wait':
      return [`gza show ${id}`, `gza approve ${id}`, `gza improve ${id} "take them out"`];
    case 'rebase-conflict':
      return [`gza resume ${id}`, `gza skip ${id}`];
    case 'no-breakdown':
      return [`gza show ${id}`, `gza note ${id} "what the plan lacks"`, `gza unblock ${id}`];
    case 'agent-task':
      return [`gza show ${id}`, `gza unblock ${id}`, `gza delete ${id}`];
    default:
      return [`gza unblock ${id}`, `gza retry ${id}`, `gza skip ${id}`];
  }
}

export async function summariseProject(project: Project): Promise<Summary> {
  const { board, read, view } = project;
  const meta = await view.meta(view.base);
  return summarise(board, read.milestones, escalationsOf(project), meta ?? {});
}
