/**
 * `gza merge`: asks the next pick to merge on GitHub, or merges here into the base branch of this checkout.
 */
import type { Command, Outcome, Ports } from '../../app/command.ts';
import { localFacts } from '../../app/facts/facts.ts';
import { holderName, loadProject, type Project } from '../../app/project.ts';
import { askForMerge } from '../../app/tasks/ask-merge.ts';
import { findTask, wholeView } from '../../app/tasks/change-task.ts';
import { isDone, oldestFirst, type TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import { judgeMerge, leftAtOf } from '../../core/policy/merging.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import { PorcelainError, porcelain } from '../../git/porcelain.ts';
import { readBranch } from '../../git/refs.ts';

export const merge: Command = {
  spec: {
    name: 'merge',
    summary: 'merge the branches of tasks, in the order in which they stand on each other',
    arguments: [{ name: 'id', many: true, completes: 'id' }],
    details:
      'Where a branch has a pull request, this is the same as a comment /gza merge on it: the wish goes into the ledger, gza sync sends it, and the next pick merges as the repository wants it. --here merges into the base branch that is checked out here, with git alone. Either way only what gza left there is merged, never what somebody put on top since; it ends at the first conflict.',
    forPeople: true,
    options: [
      { name: 'approved', type: 'flag', help: 'all that is done and approved' },
      { name: 'here', type: 'flag', help: 'with git, into the base branch of this checkout' },
    ],
    examples: [
      { command: 'gza merge task-a3f8', shows: 'gza/task-a3f8: the next pick merges it' },
      { command: 'gza merge --approved --here', shows: 'each branch, merged or with the reason why not' },
    ],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    const isWanted = ({ record }: TaskView) => options['approved'] && record?.final_verdict === 'APPROVED';
    const named = args.map((word) => findTask(project.board, word));
    const all = oldestFirst(project.board).filter((one) => isWanted(one) && isDone(one) && laneOf(one));
    if (named.length === 0 && !options['approved'])
      throw new GzaError('usage', 'which branches?', { hint: 'gza merge <task>…, or gza merge --approved' });
    const missing = named.find((view) => !laneOf(view));
    if (missing) throw new GzaError('refused', `${missing.id} has no branch that waits to be merged`);
    const lanes = inOrder(project, [...named, ...all]);
    return options['here'] ? mergeHere(project, lanes, ports) : askAll(project, [...named, ...all], ports);
  },
};

function laneOf({ record }: TaskView): LaneLink | undefined {
  return record?.lane?.folded_at || record?.merged_at ? undefined : record?.lane;
}

function below({ joins, stacked_on: on }: LaneLink): readonly string[] {
  return joins ?? (on ? [on] : []);
}

/** The lanes and everything below them, lowest first. */
function inOrder({ board }: Project, views: readonly TaskView[]): LaneLink[] {
  const lanes = new Map(
    [...board.views.values()].flatMap((one) => {
      const lane = laneOf(one);
      return lane ? [[lane.branch, lane] as const] : [];
    }),
  );
  const ordered = new Set<LaneLink>();
  const visit = (lane: LaneLink, above: readonly string[]) => {
    for (const branch of below(lane)) {
      const next = lanes.get(branch);
      if (next && !above.includes(branch)) visit(next, [...above, lane.branch]);
    }
    ordered.add(lane);
  };
  for (const view of views) {
    const lane = laneOf(view);
    if (lane) visit(lanes.get(lane.branch) ?? lane, []);
  }
  return [...ordered];
}

async function askAll(project: Project, views: readonly TaskView[], ports: Ports): Promise<Outcome> {
  const rows: Row[] = [];
  for (const view of views) {
    const branch = laneOf(view)?.branch ?? '';
    const why = view.record?.pull_request
      ? await askForMerge(project, view, { at: ports.now(), by: await holderName(project.repository, ports) })
      : 'it has no pull request: gza merge --here merges it with git';
    rows.push({ branch, merged: false, why });
  }
  const words = ({ branch, why }: Row) =>
    `${branch}: ${why ?? 'the next pick on GitHub merges it, with what it stands on; gza sync sends that'}`;
  return outcomeOf(rows, words);
}

interface Row {
  readonly branch: string;
  readonly merged: boolean;
  /** The reason; null when it was merged. */
  readonly why: string | null;
}

function outcomeOf(rows: readonly Row[], words: (row: Row) => string): Outcome {
  const text =
    rows.map(words).join('\n') || 'Nothing approved waits to be merged. gza unmerged lists all branches.';
  return { exit: rows.some(({ why }) => why !== null) ? 3 : 0, json: rows, text };
}

/** Stops at the first lane that cannot be merged, because later ones may depend on it. */
async function mergeHere(project: Project, lanes: readonly LaneLink[], ports: Ports): Promise<Outcome> {
  const folder = await checkedBase(project);
  const rows: Row[] = [];
  for (const lane of lanes) {
    const why = await mergeOne(project, lane, folder, ports);
    rows.push({ branch: lane.branch, merged: why === null, why });
    if (why !== null) break;
  }
  return outcomeOf(rows, ({ branch, why }) => `${branch}: ${why ?? `merged into ${project.view.base}`}`);
}

async function checkedBase({ repository, view }: Project): Promise<string> {
  const folder = repository.workTree;
  if (folder === null || repository.head.branch !== view.base)
    throw new GzaError('refused', `${view.base} is not checked out here`, {
      hint: `git switch ${view.base}`,
    });
  const status = await porcelain(folder, (git) => git.raw(['status', '--porcelain', '--untracked-files=no']));
  if (status.trim() === '') return folder;
  throw new GzaError('refused', 'there are changes here that are not committed', {
    hint: 'Commit them, or put them aside: git stash',
  });
}

async function mergeOne(
  project: Project,
  lane: LaneLink,
  folder: string,
  ports: Ports,
): Promise<string | null> {
  const { view, board } = project;
  const { branch } = lane;
  const own = [...board.views.values()].filter(({ record }) => record?.lane?.branch === branch);
  const tasks = await Promise.all(own.map(({ id }) => wholeView(project, id)));
  const facts = await localFacts(project);
  const found = (await readBranch(project.repository, branch))?.oid ?? null;
  const leftAt = leftAtOf(tasks);
  const judged = judgeMerge({
    wish: { by: 'a person', at: ports.now(), leftAt: leftAt ?? '' },
    rules: undefined,
    tasks: own,
    isAtWork: board.claims.some((claim) => claim.lane === branch && facts.alive(claim)),
    personCommits: own.some((one) => facts.lane(one).personCommits === true),
    leftAt,
    head: found,
    baseBranch: view.base,
    // There are no pull requests here, and the branches below were merged just now.
    pull: { state: 'open', base: view.base, headCommit: found ?? '', red: [] },
    seen: { hasConflict: false, isClean: true, lines: 0, paths: null },
  });
  if (judged.kind !== 'merge') return judged.because;
  if (found === null) return 'its branch is not in this repository';
  const title = shorten(tasks.at(-1)?.task.title ?? branch, 60);
  const message = `Merge ${branch}: ${title}`;
  return gitMerge(folder, ['merge', '--no-ff', '--no-edit', '-m', message, found]);
}

async function gitMerge(folder: string, args: readonly string[]): Promise<string | null> {
  try {
    await porcelain(folder, (git) => git.raw([...args]));
    return null;
  } catch (error) {
    if (!(error instanceof PorcelainError)) throw error;
    const listed = ['diff', '--name-only', '--diff-filter=U'];
    const files = (await porcelain(folder, (git) => git.raw(listed))).split('\n').filter(Boolean);
    await porcelain(folder, (git) => git.raw(['merge', '--abort'])).catch(() => '');
    const shown = files.slice(0, 10).join(', ') + (files.length > 10 ? ' and more' : '');
    return files.length > 0 ? `it conflicts in ${shown}; nothing was changed` : error.message;
  }
}
