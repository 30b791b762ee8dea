/** The repository a verb works on: its configuration, its ledgers, and the board of all tasks. */
import { type BacklogRead, openBacklog } from '../backlog/backlog.ts';
import { openCache } from '../cache.ts';
import { assembleItems } from '../core/assemble-board.ts';
import { type Board, type Gates, type TaskView, buildBoard } from '../core/board.ts';
import type { Config } from '../core/config.ts';
import { type Settings, settingsOf } from '../core/settings.ts';
import type { Task } from '../core/task.ts';
import { type GitLedger, openLedger } from '../ledger/git-ledger.ts';
import type { LedgerView } from '../ledger/ledger.ts';
import { type Repository, openRepository } from '../ledger/repository.ts';
import type { Ports } from './command.ts';

export interface Project {
  readonly repository: Repository;
  readonly ledger: GitLedger;
  readonly backlog: BacklogRead;
  readonly config: Config;
  readonly view: LedgerView;
  readonly board: Board;
  readonly settings: (task: Task) => Settings;
}

export async function openProject(ports: Ports): Promise<Project> {
  const repository = await openRepository(ports.cwd);
  const backlog = await openBacklog(repository, openCache(repository.commonDir)).read();
  const { config } = backlog;
  const ledger = openLedger(repository, { base: config.base, stateRef: config.state_ref });
  return look({ repository, ledger, backlog, config }, ports);
}

/** The same project after something was written. */
export async function look(
  opened: Pick<Project, 'repository' | 'ledger' | 'backlog' | 'config'>,
  ports: Ports,
): Promise<Project> {
  const { config, backlog, ledger } = opened;
  const view = await ledger.view();
  const [rows, meta] = await Promise.all([view.rows(), view.meta(view.base)]);
  const defaults = new Map(backlog.tasks.map((file) => [file.task.id, file.defaults]));
  const settings = (task: Task) => settingsOf(task, defaults.get(task.id) ?? {}, config);
  const invalid = new Map(
    backlog.problems.flatMap(({ task, severity, message }) =>
      task && severity === 'error' ? [[task, message]] : [],
    ),
  );
  const board = buildBoard({
    items: assembleItems({ files: backlog.tasks, rows, base: view.base, invalid }),
    claims: meta?.claims ?? [],
    now: ports.now(),
    gates: (task) => gatesOf(settings(task)),
    milestones: config.milestones.map(({ id }) => id),
  });
  for (const problem of view.problems)
    ports.progress(`warning: the ledger of ${problem.branch}: ${problem.detail}`);
  return { ...opened, view, board, settings };
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
