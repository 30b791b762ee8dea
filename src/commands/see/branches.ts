/** The branches of tasks: lists those that wait to be merged, shows the changes of one, and opens one. */
import type { Command } from '../../app/command.ts';
import { isAlive } from '../../app/facts/facts.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { findTask } from '../../app/tasks/change-task.ts';
import { oldestFirst, type TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import { readForeseen } from '../../core/ledger/ledger-state.ts';
import type { LaneLink } from '../../core/ledger/record/record.ts';
import { clashLines, plainText, shorten } from '../../core/text/terminal/lines.ts';
import { porcelain } from '../../git/porcelain.ts';
import { readRef } from '../../git/refs.ts';

const idArgument = { name: 'id', required: true, completes: 'id' } as const;

export const unmerged: Command = {
  spec: {
    name: 'unmerged',
    summary: 'branches whose work is done and not merged, in the order in which they can be',
    arguments: [],
    options: [],
    examples: [
      { command: 'gza unmerged', shows: 'each branch with its tasks, verdict and what it stands on' },
    ],
  },
  run: async (_, ports) => {
    const project = await loadProject(ports);
    const rows = oldestFirst(project.board).flatMap((view) => {
      const { record } = view;
      const lane = laneOf(view);
      if (!lane || record?.closed_as !== 'done' || record.merged_at) return [];
      const on = lane.joins ?? (lane.stacked_on ? [lane.stacked_on] : []);
      const { id, task } = view;
      const verdict = record.final_verdict ?? null;
      const pull = record.pull_request ?? null;
      return [{ id, title: task.title, branch: lane.branch, stands_on: on, verdict, pull_request: pull }];
    });
    const height = (branch: string) => {
      const all = new Set([branch]);
      // The loop also visits the branches that it adds.
      for (const one of all)
        for (const below of rows.find((row) => row.branch === one)?.stands_on ?? []) all.add(below);
      return all.size;
    };
    const inOrder = rows.toSorted((a, b) => height(a.branch) - height(b.branch));
    const lines = inOrder.map(({ id, title, branch, stands_on: on, verdict, pull_request: pull }) =>
      [
        `${id}: ${shorten(title, 60)}`,
        branch,
        ...(on.length > 0 ? [`on ${on.join(', ')}`] : []),
        ...(verdict ? [verdict] : []),
        ...(pull ? [`#${pull.number}`] : []),
      ].join('  '),
    );
    const { clashes } = readForeseen((await project.view.meta(project.view.base))?.marks ?? {});
    const ahead = clashLines(clashes).map((line) => `  ${line}`);
    if (ahead.length > 0) lines.push('', 'Conflicts ahead:', ...ahead);
    return { json: inOrder, text: lines.join('\n') || 'Nothing waits to be merged.' };
  },
};

export const diff: Command = {
  spec: {
    name: 'diff',
    summary: 'what the branch of a task changes, against what it stands on',
    arguments: [idArgument],
    options: [{ name: 'stat', type: 'flag', help: 'only names of files, and how many lines' }],
    examples: [{ command: 'gza diff task-a3f8 --stat', shows: 'src/login.ts | 12 ++++' }],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const { branch, stacked_on: on, fork_point: fork } = await branchOf(project, view);
    const below = [`refs/heads/${on ?? project.view.base}`, `refs/remotes/origin/${on ?? project.view.base}`];
    const found = await Promise.all(below.map((ref) => readRef(project.repository, ref)));
    const from = found.find((oid) => oid !== null) ?? fork ?? '';
    const text = await porcelain(project.repository.git.cwd, (git) =>
      git.diff([
        ...(options['stat'] ? ['--stat'] : []),
        '--no-ext-diff',
        `${from}...refs/heads/${branch}`,
        '--',
      ]),
    );
    return { json: { id: view.id, branch, from, diff: text }, text: plainText(text).trimEnd() || 'Nothing.' };
  },
};

export const checkout: Command = {
  spec: {
    name: 'checkout',
    summary: 'switch this checkout to the branch of a task, to look at it or to go on by hand',
    arguments: [idArgument],
    options: [],
    details: 'While it is checked out here gza leaves it alone: git switch - hands it back.',
    examples: [{ command: 'gza checkout task-a3f8', shows: 'task-a3f8: on gza/task-a3f8' }],
  },
  run: async ({ args }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const { branch } = await branchOf(project, view);
    const claim = project.board.claims.find((one) => one.lane === branch && isAlive(one, ports.now()));
    if (claim)
      throw new GzaError('blocked', `${branch} is at work: ${claim.holder} holds it until ${claim.until}`, {
        hint: `gza stop ${view.id} ends that and keeps the work; gza diff ${view.id} shows it.`,
      });
    await porcelain(project.repository.workTree ?? project.repository.git.cwd, (git) =>
      git.raw(['switch', '--quiet', branch]),
    );
    return { json: { id: view.id, branch }, text: `${view.id}: on ${branch}` };
  },
};

function laneOf({ record }: TaskView): LaneLink | undefined {
  return record?.lane?.folded_at === undefined ? record?.lane : undefined;
}

async function branchOf({ repository }: Project, view: TaskView): Promise<LaneLink> {
  const lane = laneOf(view);
  if (!lane) throw new GzaError('refused', `${view.id} has no branch`, { hint: `gza why ${view.id}` });
  if ((await readRef(repository, `refs/heads/${lane.branch}`)) === null)
    throw new GzaError('refused', `${lane.branch} is not in this repository`, {
      hint: `git fetch origin ${lane.branch}:${lane.branch}`,
    });
  return lane;
}
