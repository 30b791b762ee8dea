/** What git and the forge say about each lane in flight, beside what its ledger says. */

import { localFacts } from '../../app/facts/facts.ts';
import type { Project } from '../../app/project.ts';
import { wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { onGithub } from '../../core/ledger/marks.ts';
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
  /** Where the base branch is. */
  readonly baseHead: string;
  /** Where its steps left it. */
  readonly leftAt: string | null;
  /** Only worked out where the head is not what the last step left. */
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
    // Whole: lists leave out the steps of what is closed.
    const tasks = await Promise.all(own.map(({ id }) => wholeView(project, id)));
    const head = heads.get(branch) ?? null;
    const leftAt = leftAtOf(tasks);
    const found = newest(pulls.filter((one) => one.branch === branch && isOfLane(one, tasks, leftAt)));
    const place = found?.state === 'merged' ? mergedInto(project, found) : 'base';
    const pull = place === 'base' ? found : null;
    const isElsewhere = head !== null && leftAt !== null && head !== leftAt;
    // The commit that was left may be nowhere any more: what gza itself put in its place tells as much.
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
 * A branch that is taken up again has the closed pull request of its life before: that one says nothing of it. And
 * closed along with its base is nobody's wish: a new one is opened.
 */
function isOfLane(pull: PullFacts, tasks: readonly TaskView[], leftAt: string | null): boolean {
  if (pull.fromFork || (pull.state === 'closed' && pull.closedWithBase)) return false;
  if (pull.state === 'open' || pull.state === 'draft') return true;
  const isKnown = tasks.some(({ record }) => record?.pull_request?.number === pull.number);
  return isKnown || (leftAt !== null && pull.headCommit === leftAt);
}

/**
 * Merged means that the base branch has it. What went into another lane is merged when that lane is; what went into a
 * branch of gza's own, or into a lane that was closed, is not.
 */
function mergedInto({ view, board, config }: Project, { base }: PullFacts): 'base' | 'lane' | 'nowhere' {
  if (base === view.base) return 'base';
  if (isJoinBranch({ config }, base)) return 'nowhere';
  if (view.tip(base) !== null) return 'lane';
  const below = [...board.views.values()].filter(({ record }) => record?.lane?.branch === base);
  return below.length === 0 || below.some(({ record }) => record?.merged_at) ? 'base' : 'nowhere';
}

/** An open one counts more than one that was closed before. */
function newest(pulls: readonly PullFacts[]): PullFacts | null {
  const open = pulls.find(({ state }) => state === 'open' || state === 'draft');
  return open ?? pulls.toSorted((a, b) => b.number - a.number)[0] ?? null;
}

async function headsOf(repository: Repository): Promise<Map<string, string>> {
  const rows = await listRefs(repository, ['refs/heads']);
  return new Map(rows.map(({ ref, oid }) => [ref.replace('refs/heads/', ''), oid]));
}

const commitsMax = 200;

/** Merges of the base and suggestions that were applied on the forge's pages do not take a lane away from gza. */
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
  // History that cannot be read is nobody's: better to wait than to work over someone's head.
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

/** What the rules may look at in CI: the ledgers, and what the forge and git say of the lanes in flight. */
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

/** Of the tasks of a lane the one whose work came last: what fails now is its to mend. */
function lastWorker({ tasks }: LaneWorld): TaskView | undefined {
  const endOf = ({ record }: TaskView) => record?.steps?.findLast(({ step }) => isWork(step))?.ended_at ?? '';
  return tasks.toSorted((a, b) => (endOf(a) < endOf(b) ? -1 : 1)).at(-1);
}

/** How steps are planned where each has jobs of its own. */
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
