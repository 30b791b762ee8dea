/** What git and the forge know about each lane in flight, in addition to its ledger. */

import { localFacts } from '../../app/facts/facts.ts';
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { onGithub } from '../../core/ledger/ledger-state.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import type { Facts } from '../../core/policy/decide.ts';
import { leftAtOf } from '../../core/policy/merging.ts';
import { isWork } from '../../core/policy/steps-so-far.ts';
import { isJoinBranch } from '../../engine/loop/lane-of.ts';
import type { PlanContext } from '../../engine/loop/plan-step.ts';
import { gzaIdentity } from '../../git/git.ts';
import { listRefs } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';

import type { PullFacts } from '../api/forge.ts';
import type { ReadingContext } from '../jobs/job-context.ts';
import { openWishes } from './claims.ts';

export interface LaneWorld {
  readonly branch: string;
  readonly tasks: readonly TaskView[];
  readonly head: string | null;
  /** The head of the base branch. */
  readonly baseHead: string;
  /** The head after the lane's last step. */
  readonly leftAt: string | null;
  /** Computed only when the head differs from what the last step left. */
  readonly diff: string | null;
  readonly personCommits: boolean;
  readonly gone: boolean;
  readonly pull: PullFacts | null;
}

/** Lanes that have a live ledger. */
export function liveBranches({ view }: Project): string[] {
  return view.branches.filter((branch) => branch !== view.base);
}

export async function lanesOf(
  project: Project,
  repository: Repository,
  pulls: readonly PullFacts[],
  branches: readonly string[] = liveBranches(project),
): Promise<Map<string, LaneWorld>> {
  const lanes = new Map<string, LaneWorld>();
  const heads = await headsOf(repository);
  const base = heads.get(project.view.base) ?? '';
  for (const branch of branches) {
    const own = [...project.board.views.values()].filter((view) => isIn(view, branch));
    // Loads full records, because lists omit the steps of closed tasks.
    const tasks = await Promise.all(own.map(({ id }) => wholeView(project, id)));
    const head = heads.get(branch) ?? null;
    const leftAt = leftAtOf(tasks);
    const found = newest(pulls.filter((one) => one.branch === branch && isOfLane(one, tasks, leftAt)));
    const place = found?.state === 'merged' ? mergedInto(project, found) : 'base';
    const pull = place === 'base' ? found : null;
    const isElsewhere = head !== null && leftAt !== null && head !== leftAt;
    // The recorded commit may no longer exist anywhere. Then the commit that replaced it in a rebase is used.
    const putAt = tasks.map(({ record }) => record?.lane?.rebased).find((one) => one?.from === leftAt)?.to;
    const compare = heads.get(tasks[0]?.record?.lane?.stacked_on ?? '') ?? base;
    lanes.set(branch, {
      branch,
      tasks,
      head,
      baseHead: base,
      leftAt,
      diff: isElsewhere ? await diffId(repository, { base: compare, head }) : null,
      personCommits:
        isElsewhere && putAt !== head && (await hasPersonCommits(repository, putAt ?? leftAt, head, base)),
      gone:
        head === null && leftAt !== null && place !== 'lane' && !pull?.mergedAt && pull?.state !== 'closed',
      pull,
    });
  }
  return lanes;
}

function isIn({ record }: TaskView, branch: string): boolean {
  return record?.lane?.branch === branch && record.lane.folded_at === undefined;
}

/**
 * Whether a pull request belongs to the lane's current life. A reused branch may have an old closed pull
 * request, which does not count. One that was closed together with its base does not count either: nobody
 * wanted that, so a new one is opened.
 */
function isOfLane(pull: PullFacts, tasks: readonly TaskView[], leftAt: string | null): boolean {
  if (pull.fromFork || (pull.state === 'closed' && pull.closedWithBase)) return false;
  if (pull.state === 'open' || pull.state === 'draft') return true;
  const isKnown = tasks.some(({ record }) => record?.pull_request?.number === pull.number);
  return isKnown || (leftAt !== null && pull.headCommit === leftAt);
}

/**
 * Where the work was merged to. Only the base branch counts as merged. Work in another lane counts when that
 * lane is merged. Work in gza's own branch, or in a lane that was closed, does not count.
 */
function mergedInto({ view, board, config }: Project, { base }: PullFacts): 'base' | 'lane' | 'nowhere' {
  if (base === view.base) return 'base';
  if (isJoinBranch({ config }, base)) return 'nowhere';
  if (view.tip(base) !== null) return 'lane';
  const below = [...board.views.values()].filter(({ record }) => record?.lane?.branch === base);
  return below.length === 0 || below.some(({ record }) => record?.merged_at) ? 'base' : 'nowhere';
}

/** Prefers an open pull request to closed ones. */
function newest(pulls: readonly PullFacts[]): PullFacts | null {
  const open = pulls.find(({ state }) => state === 'open' || state === 'draft');
  return open ?? pulls.toSorted((a, b) => b.number - a.number)[0] ?? null;
}

async function headsOf(repository: Repository): Promise<Map<string, string>> {
  const rows = await listRefs(repository, ['refs/heads']);
  return new Map(rows.map(({ ref, oid }) => [ref.replace('refs/heads/', ''), oid]));
}

const commitsMax = 200;

/** Merges of the base and suggestions applied on the forge's pages do not take a lane from gza. */
async function hasPersonCommits(
  repository: Repository,
  from: string,
  to: string,
  base: string,
): Promise<boolean> {
  const listed = await repository.bareGit.run([
    'rev-list',
    '--no-merges',
    `--max-count=${commitsMax}`,
    '--format=%ae%x09%ce%x09%s',
    '--no-commit-header',
    to,
    `^${from}`,
    ...(base ? [`^${base}`] : []),
  ]);
  // If the history cannot be read, assume a person's commits: waiting is safer than overwriting work.
  if (listed.code !== 0) return true;
  const lines = listed.stdout.toString('utf8').split('\n').filter(Boolean);
  return lines.some((line) => {
    const [author = '', committer = '', subject = ''] = line.split('\t');
    const isOurs = author === gzaIdentity.email;
    const isSuggestion =
      committer === 'noreply@github.com' && /^Apply suggestions? from code review|^Update .+/.test(subject);
    return !isOurs && !isSuggestion;
  });
}

/** The facts for the rules in CI: the ledgers, and what the forge and git know about the lanes in flight. */
export async function ciFacts(
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
  dead: ReadonlySet<string>,
): Promise<Facts> {
  const facts = await localFacts(project, onGithub);
  const wishes = await openWishes(project);
  return {
    ...facts,
    alive: (claim: Claim) => !dead.has(claim.id),
    command: (view) => wishes.get(view.id) ?? null,
    lane: (view) => {
      const own = facts.lane(view);
      const link = view.record?.lane;
      const world = link && link.folded_at === undefined ? worlds.get(link.branch) : undefined;
      if (!world) return own;
      const { head, diff, pull, personCommits, gone, branch } = world;
      const red =
        lastWorker(world)?.id === view.id && pull?.headCommit === head ? pull.checks?.red : undefined;
      return {
        ...own,
        branch,
        personCommits,
        gone,
        ...(head === null ? {} : { head }),
        ...(diff === null ? {} : { diff }),
        ...(pull ? { pull: { state: pull.state } } : {}),
        ...(red && red.length > 0 ? { red: red.map(({ name }) => name) } : {}),
      };
    },
  };
}

/** The task of a lane that worked last. It must fix what fails now. */
function lastWorker({ tasks }: LaneWorld): TaskView | undefined {
  const endOf = ({ record }: TaskView) => record?.steps?.findLast(({ step }) => isWork(step))?.ended_at ?? '';
  return tasks.toSorted((a, b) => (endOf(a) < endOf(b) ? -1 : 1)).at(-1);
}

/** Plans steps for CI, where each step has its own jobs. */
export function ciPlanning(
  { ports }: Pick<ReadingContext, 'ports'>,
  repository: Repository,
  random: () => string,
): Omit<PlanContext, 'project'> {
  const choice = { delaySeconds: 0, once: false };
  return {
    repository,
    choice,
    unusable: new Map(),
    running: 0,
    now: ports.now,
    random,
    session: async () => null,
  };
}
