/** The repository a verb works on: its configuration, its ledgers, and the board of all tasks. */
import { type Backlog, type BacklogRead, openBacklog } from '../backlog/backlog.ts';
import { assembleItems } from '../core/assemble-board.ts';
import { type Board, type Gates, type TaskView, buildBoard } from '../core/board.ts';
import type { Config } from '../core/config.ts';
import { type Settings, settingsOf } from '../core/settings.ts';
import type { Task } from '../core/task.ts';
import { type GitLedger, openLedger } from '../ledger/git-ledger.ts';
import type { LedgerView } from '../ledger/ledger.ts';
import { type Repository, openRepository } from '../ledger/repository.ts';
import type { Ports } from './command.ts';

/** Found and configured, but not looked at yet. */
export interface Opened {
  readonly repository: Repository;
  readonly ledger: GitLedger;
  readonly config: Config;
  readonly backlog: Backlog;
  readonly read: BacklogRead;
}

export interface Project extends Opened {
  readonly view: LedgerView;
  readonly board: Board;
  readonly settings: (task: Task) => Settings;
}

export async function open(ports: Ports): Promise<Opened> {
  const repository = await openRepository(ports.cwd);
  const backlog = openBacklog(repository);
  const read = await backlog.read();
  const { config } = read;
  const options = { stateRef: config.state_ref, ...(config.base ? { base: config.base } : {}) };
  return { repository, ledger: openLedger(repository, options), config, backlog, read };
}

export async function openProject(ports: Ports): Promise<Project> {
  return look(await open(ports), ports);
}

/** The tasks as they are now. Called again after something was written. */
export async function look(opened: Opened, ports: Ports): Promise<Project> {
  const { config, read, ledger } = opened;
  const view = await ledger.view();
  const [rows, meta] = await Promise.all([view.rows(), view.meta(view.base)]);
  const defaults = new Map(read.tasks.map((file) => [file.task.id, file.defaults]));
  const settings = (task: Task) => settingsOf(task, defaults.get(task.id) ?? {}, config);
  const board = buildBoard({
    items: assembleItems({ files: read.tasks, rows, base: view.base, invalid: invalidTasks(read) }),
    claims: meta?.claims ?? [],
    now: ports.now(),
    gates: (task) => gatesOf(settings(task)),
    milestones: config.milestones.map(({ id }) => id),
  });
  for (const { branch, detail } of view.problems)
    ports.progress(`warning: the ledger of ${branch}: ${detail}`);
  return { ...opened, view, board, settings };
}

function invalidTasks(read: BacklogRead): Map<string, string> {
  const wrong = read.problems.filter(({ task, severity }) => task !== undefined && severity === 'error');
  return new Map(
    wrong.map(({ task, file, line, message }) => [task as string, `${file}:${line}: ${message}`]),
  );
}

function gatesOf(settings: Settings): Gates {
  return {
    auto_review: settings.auto_review,
    approval: settings.approval === 'required',
    requires_merge: settings.requires === 'merged',
  };
}

/** The branch whose ledger a task filed here belongs to: this one's, or the base's. */
export function homeBranch(repository: Repository, view: LedgerView): string {
  return repository.head.branch ?? view.base;
}

export function cyclesMax(project: Project): (view: TaskView) => number {
  return (view) => project.settings(view.task).max_review_cycles + (view.record?.extra_cycles ?? 0);
}
