/** Opens the repository that a verb works on: its configuration, its ledgers, and the board of all tasks. */
import { type Backlog, type BacklogRead, fileSizes } from '../backlog/backlog.ts';
import { commitBacklog } from '../backlog/commit-backlog.ts';
import { workTreeBacklog } from '../backlog/work-tree-backlog.ts';
import {
  type Board,
  type BoardInput,
  type BoardItem,
  buildBoard,
  type Gates,
  type TaskView,
} from '../core/board/board.ts';
import { assembleItems } from '../core/board/items.ts';
import {
  builtInConfig,
  type Config,
  configMistakes,
  needsApproval,
  type Settings,
  settingOf,
  settingsOf,
} from '../core/config/config.ts';
import { GzaError } from '../core/errors.ts';
import { firstMark, readFirst } from '../core/ledger/ledger-state.ts';
import {
  isPastComplexity,
  mayBeTooComplex,
  type Score,
  type SizeWarning,
  scoreInput,
  scoreTask,
  sizeWarnings,
  tooComplexText,
} from '../core/sizing/score.ts';
import { checkBacklog } from '../core/task/check-backlog.ts';
import type { Task, TaskSettings } from '../core/task/task.ts';
import { branchAtHome } from '../core/task/task-json.ts';
import { joinedLines } from '../core/text/terminal/joined.ts';
import { type Problem, printProblems } from '../core/yaml/problem.ts';
import { openRepository, type Repository } from '../git/repository.ts';
import { type GitLedger, openLedger } from '../ledger/git-ledger.ts';
import type { LedgerView, Located } from '../ledger/ledger.ts';
import type { JoinOptions } from '../ledger/sync/sync.ts';
import { openCache } from '../system/cache.ts';
import type { Ports } from './command.ts';

/** A project whose configuration is read, but not its ledgers. */
export interface OpenedProject {
  readonly repository: Repository;
  readonly ledger: GitLedger;
  readonly config: Config;
  readonly backlog: Backlog;
  readonly read: BacklogRead;
}

export interface Project extends OpenedProject {
  readonly view: LedgerView;
  readonly board: Board;
  /** Builds a board of the given tasks, with the settings of this project. */
  readonly boardOf: (given: Pick<BoardInput, 'items' | 'claims' | 'now' | 'complex'>) => Board;
  readonly settings: (task: Task) => Settings;
}

/** `warns` is false where the caller treats mistakes in the configuration as errors. */
export async function openProject(ports: Ports, { warns = true } = {}): Promise<OpenedProject> {
  const repository = await openRepository(ports.cwd);
  const backlog = await openBacklog(repository);
  const read = await backlog.read();
  const { config } = read;
  const mistakes = configMistakes(read.problems);
  if (warns && mistakes.length > 0) ports.progress(`warning: not in force:\n${printProblems(mistakes)}`);
  const options = { stateRef: config.state_ref, ...(config.base ? { base: config.base } : {}) };
  return { repository, ledger: openLedger(repository, options), config, backlog, read };
}

/** Reads the files of the work tree; in a bare repository, those of the branch that HEAD names. */
async function openBacklog(repository: Repository): Promise<Backlog> {
  const cache = openCache(repository.commonDir);
  if (repository.workTree !== null) return workTreeBacklog({ root: repository.workTree, cache });
  const head = await repository.git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const commit = head.code === 0 ? head.stdout.toString('utf8').trim() : null;
  return commit ? commitBacklog({ repository, commit, cache }) : noBacklog;
}

const noBacklog: Backlog = {
  read: async () => ({ config: builtInConfig, tasks: [], milestones: [], problems: [], identity: '' }),
  definition: async () => null,
};

/** Loads the tasks as they are now. Call it again after writing something. */
export async function loadProject(ports: Ports, opened?: OpenedProject): Promise<Project> {
  const found = opened ?? (await openProject(ports));
  return loadProjectFrom(await found.ledger.view(), found, ports);
}

export async function loadProjectFrom(
  view: LedgerView,
  opened: OpenedProject,
  ports: Ports,
): Promise<Project> {
  const { config, read } = opened;
  const [rows, meta] = await Promise.all([view.rows(), view.meta(view.base)]);
  const files = checkedFiles(read, rows, view.base);
  const defaults = new Map(files.tasks.map((file) => [file.task.id, file.defaults]));
  const settings = (task: Task) => settingsOf(task, defaults.get(task.id) ?? {}, config);
  const items = assembleItems({ files: files.tasks, rows, base: view.base, invalid: files.invalid });
  const complex = await complexTasks(items, { ...opened, view });
  const boardOf: Project['boardOf'] = (given) =>
    buildBoard({
      complex,
      ...given,
      gates: (task) => gatesOf(task, defaults.get(task.id) ?? {}, config),
      milestones: config.milestones.map(({ id }) => id),
      first: readFirst(meta?.marks?.[firstMark]),
      unread: { lanes: view.unread, ...(view.unread.has(view.base) ? { base: view.base } : {}) },
    });
  const board = boardOf({ items, claims: meta?.claims ?? [], now: ports.now() });
  warnLedgers(opened.ledger, view, ports);
  // An empty list would wrongly say that there are no tasks.
  if (items.length === 0 && view.unread.size > 0) throw unknownTasks([...view.unread]);
  return { ...opened, view, board, boardOf, settings };
}

function unknownTasks(unread: readonly string[]): GzaError {
  const which = unread.slice(0, 3).join(', ') + (unread.length > 3 ? ' and others' : '');
  return new GzaError('world', `what tasks there are is not known: the ledger of ${which} cannot be read`, {
    hint: '`gza fsck` says what to do.',
  });
}

/** An invalid task blocks only itself and the tasks that wait for it. */
function checkedFiles(read: BacklogRead, rows: readonly Located[], base: string) {
  if (read.tasks.length === 0 && read.problems.length === 0)
    return { tasks: read.tasks, invalid: new Map<string, string>() };
  const filed = new Map(rows.map(({ record }) => [record.id, record]));
  const { tasks, bad } = checkBacklog({ tasks: read.tasks, problems: read.problems, filed, base });
  const invalid = new Map(
    [...bad].map(([id, { file, line, message }]) => [id, `${file}:${line}: ${message}`]),
  );
  return { tasks, invalid };
}

function gatesOf(task: Task, defaults: TaskSettings, config: Config): Gates {
  return {
    auto_review: settingOf('auto_review', task, defaults, config),
    approval: needsApproval(task, {
      approval: settingOf('approval', task, defaults, config),
      breakdown: settingOf('breakdown', task, defaults, config),
    }),
    requires_merge: settingOf('requires', task, defaults, config) === 'merged',
  };
}

/** The branch whose ledger gets a task filed here: the current one, or the base. */
export function homeBranch(repository: Repository, view: LedgerView): string {
  return repository.head.branch ?? view.base;
}

/** For lists: the branch of an open task that is worked on elsewhere, unless it is named after the task. */
export function elsewhereFrom({ repository, view, config }: Project): (one: TaskView) => string | null {
  const here = homeBranch(repository, view);
  return (one) => {
    const branch = branchAtHome(one, view.base);
    const isOwn = branch === `${config.branch_prefix}${one.id}`;
    return one.record?.closed_at || branch === here || isOwn ? null : branch;
  };
}

export function cyclesMax(project: Project): (view: TaskView) => number {
  return (view) => project.settings(view.task).max_review_cycles + (view.record?.extra_cycles ?? 0);
}

/** Input for finding tasks that are too complex to start without approval. */
interface TaskSource {
  readonly repository: Pick<Repository, 'workTree'>;
  readonly config: Config;
  readonly backlog: Backlog;
  readonly view: LedgerView;
}

async function complexTasks(
  items: readonly BoardItem[],
  source: TaskSource,
): Promise<ReadonlyMap<string, string>> {
  const complex = new Map<string, string>();
  const input = scoreInput(source.config);
  for (const { task, record } of items) {
    if (isPastComplexity(record) || !mayBeTooComplex(task, input)) continue;
    const whole = await wholeTask(task.id, source);
    if (!whole) continue;
    const sizes = fileSizes(source.repository.workTree, [whole]);
    const text = tooComplexText(scoreTask(whole, { ...input, sizes }));
    if (text !== null) complex.set(task.id, text);
  }
  return complex;
}

/** The task from its record if it has one, otherwise from its file. */
async function wholeTask(id: string, { view, backlog }: TaskSource): Promise<Task | null> {
  return (await view.task(id))?.record ?? (await backlog.definition(id))?.task ?? null;
}

export interface Scored {
  readonly score: Score;
  readonly warnings: readonly SizeWarning[];
}

/** Scores tasks by the configuration and the current size of their files. */
export function scorer(
  { config, repository }: Pick<Project, 'config' | 'repository'>,
  tasks: readonly Task[],
): (task: Task) => Scored {
  const input = scoreInput(config, fileSizes(repository.workTree, tasks));
  return (task) => {
    const score = scoreTask(task, input);
    return { score, warnings: sizeWarnings(task, score, input.limits) };
  };
}

type Telling = Pick<Ports, 'progress'>;

const shownMax = 3;
const mistakesShownMax = 5;

/** Problems of task files from which no task could be read. No board shows them. */
export function unreadFiles({ tasks, problems }: OpenedProject['read']): Problem[] {
  if (problems.length === 0) return [];
  const held = new Set(tasks.map(({ file }) => file));
  const told = new Set(configMistakes(problems));
  return problems.filter(
    (problem) =>
      problem.severity === 'error' &&
      problem.task === undefined &&
      !held.has(problem.file) &&
      !told.has(problem),
  );
}

/** Warns on standard error about problems that do not end a verb. */
export function warnUnread({ read }: Pick<OpenedProject, 'read'>, ports: Telling): void {
  const unread = unreadFiles(read);
  for (const { file, line, message } of unread.slice(0, shownMax))
    ports.progress(`warning: ${file}:${line}: ${message}`);
  const more = unread.length - shownMax;
  if (more > 0) ports.progress(`warning: ${more} more like it`);
  if (unread.length > 0) ports.progress('warning: no task was read there; gza check says what was expected.');
}

const ledgersShownMax = 20;
const toldOf = new WeakMap<GitLedger, Set<string>>();

/** Warns about ledgers that could not be read, once per process. */
function warnLedgers(ledger: GitLedger, { problems }: Pick<LedgerView, 'problems'>, ports: Telling): void {
  const before = toldOf.get(ledger) ?? new Set();
  toldOf.set(ledger, before);
  const fresh = problems
    .map(({ branch, detail }) => `${branch}: ${detail}`)
    .filter((one) => !before.has(one));
  for (const one of fresh) before.add(one);
  for (const one of fresh.slice(0, ledgersShownMax)) ports.progress(`warning: the ledger of ${one}`);
  const more = fresh.length - ledgersShownMax;
  if (more > 0) ports.progress(`warning: ${more} more like it`);
  if (fresh.length > 0)
    ports.progress('warning: what could not be read is left out; gza fsck says what to do');
}

/** For joins of ledgers on a laptop: warns about what they could not keep. */
export function warnJoined(ledger: GitLedger, ports: Telling): JoinOptions['tell'] {
  return (joined) => {
    for (const { said, next } of joinedLines(joined, ledger.store.namespace)) {
      ports.progress(`warning: ${said}\n  ${next}`);
    }
    warnLedgers(ledger, joined, ports);
  };
}

/**
 * A configuration with a mistake does not do what its author meant: a misspelled budget, check or protected
 * path would have no effect. Verbs that only read still work, but no agent starts.
 */
export function refuseBrokenConfig({ read }: Pick<OpenedProject, 'read'>): void {
  const mistakes = configMistakes(read.problems);
  if (mistakes.length === 0) return;
  throw new GzaError('input', 'the configuration has a mistake, so no agent starts under it', {
    hint: `${printProblems(mistakes, mistakesShownMax)}\nMend it; gza check then says that all is good.`,
  });
}

const agentVariables = ['GZA_AGENT', 'ZAGI_AGENT'] as const;

/** The agent that runs this program, if there is one. */
export function agentName({ env }: Pick<Ports, 'env'>): string | undefined {
  return agentVariables.map((name) => env[name]).find(Boolean);
}

/** The person who acts, or an agent, which is named in the environment and may do less. */
export async function holderName({ git }: Repository, ports: Ports): Promise<string> {
  const agent = agentName(ports);
  if (agent) return agent;
  const named = ports.env['GIT_AUTHOR_NAME']?.trim();
  if (named) return named;
  const result = await git.run(['config', 'user.name']);
  return result.stdout.toString('utf8').trim() || ports.env['USER'] || 'someone';
}

/** Agents may not change what exists: they may add tasks, append notes, and mark their own task done. */
export function refuseAgents(what: string, { env, program }: Ports, id = '<id>'): void {
  const variable = agentVariables.find((one) => env[one]);
  if (!variable) return;
  throw new GzaError(
    'refused',
    `agents may not use ${what}, and ${variable} is set, so one is at work here`,
    {
      hint: `An agent may add tasks, append notes and mark its task done:\n  ${program} note ${id} "what should change and why"`,
    },
  );
}
