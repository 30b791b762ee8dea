import type { Command } from '../../app/command.ts';
import { isAlive, localFacts, readinessIn } from '../../app/facts/facts.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { findTask, wholeView } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { decideTask, type Facts } from '../../core/policy/decide.ts';
import { judgeMerge, leftAtOf, mergeMark, readWish } from '../../core/policy/merging.ts';
import { dotGraph, mermaidGraph, textGraph } from '../../core/text/terminal/graph.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import { whyText } from '../../core/text/terminal/why.ts';
import { toSecond } from '../../core/time.ts';
import { filterOptions, selectViews } from '../select.ts';

/**
 * What prevents the branch from being merged, as far as it is known here; null when no merge was requested.
 */
async function mergingOf(project: Project, view: TaskView, facts: Facts): Promise<string | null> {
  const { lane, pull_request: pull } = view.record ?? {};
  if (!lane || lane.folded_at) return null;
  const meta = await project.view.meta(project.view.base);
  const own = [...project.board.views.values()].filter((one) => one.record?.lane?.branch === lane.branch);
  const tasks = await Promise.all(own.map(({ id }) => wholeView(project, id)));
  const head = leftAtOf(tasks);
  const on = lane.joins?.join(', ') ?? lane.stacked_on ?? project.view.base;
  const { red = [], personCommits = false } = facts.lane(view);
  const { kind, because } = judgeMerge({
    wish: readWish(meta?.marks?.[mergeMark(lane.branch)]),
    rules: project.config.auto_merge,
    tasks,
    isAtWork: project.board.claims.some((claim) => claim.lane === lane.branch && facts.alive(claim)),
    personCommits,
    leftAt: head,
    head,
    baseBranch: project.view.base,
    pull: pull ? { state: pull.state, base: on, headCommit: head ?? '', red } : null,
    seen: null,
  });
  return kind === 'none' ? null : because;
}

export const why: Command = {
  spec: {
    name: 'why',
    summary: 'the rule that decides about a task, what it saw, and what would change it',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [{ command: 'gza why task-a3f8', shows: 'rule: dependency-failed …' }],
  },
  run: async ({ args }, ports) => {
    const project = await loadProject(ports);
    const found = findTask(project.board, args[0] as string);
    const facts: Facts = await localFacts(project);
    const view = await wholeView(project, found.id);
    const decision = decideTask(view, facts);
    const merging = await mergingOf(project, view, facts);
    return {
      json: { ...decision, status: view.status, blockers: view.blockers, merging },
      text: whyText(view, decision, merging),
    };
  },
};

export const agents: Command = {
  spec: {
    name: 'agents',
    summary: 'who holds what, since when, until when',
    arguments: [],
    options: [],
    examples: [{ command: 'gza agents', shows: 'live claims, and usage limits that agents met' }],
  },
  run: async (_invocation, ports) => {
    const project = await loadProject(ports);
    const { board, view } = project;
    const now = ports.now();
    const claims = board.claims.map((claim) => ({ ...claim, alive: isAlive(claim, now) }));
    const limits = Object.entries((await view.meta(view.base))?.not_before ?? {}).filter(
      ([, until]) => until > now,
    );
    const lines = claims.map((claim) => {
      const title = board.views.get(claim.task)?.task.title;
      const until = claim.alive ? `until ${toSecond(claim.until)}` : 'and is gone; the next run frees it';
      return `${shorten(claim.holder)}: ${claim.task}${title ? ` ${shorten(title)}` : ''}, since ${toSecond(claim.at)}, ${until}`;
    });
    for (const [agent, until] of limits) lines.push(`${agent}: usage limit until ${toSecond(until)}`);
    const assigned = [...board.views.values()].filter(
      (one) => one.task.assigned_agent && !one.record?.closed_at,
    );
    for (const one of assigned) {
      if (!one.claim)
        lines.push(
          `${shorten(one.task.assigned_agent ?? '')}: ${one.id} ${shorten(one.task.title)}, ${assignedWord(one)}`,
        );
    }
    const json = {
      claims,
      limits: Object.fromEntries(limits),
      assigned: assigned.map((one) => ({
        id: one.id,
        agent: one.task.assigned_agent,
        status: one.claim ? 'busy' : assignedWord(one),
      })),
    };
    return { json, text: lines.length > 0 ? lines.join('\n') : 'Nobody holds anything.' };
  },
};

/** Agents have no state of their own, so an agent shows the state of its task. */
function assignedWord({ status }: TaskView): string {
  return status === 'blocked' || status === 'failed' ? status : 'assigned';
}

const formats = ['text', 'mermaid', 'dot'] as const;

export const graph: Command = {
  spec: {
    name: 'graph',
    summary: 'the dependency graph',
    arguments: [],
    options: [
      {
        name: 'format',
        short: 'f',
        type: 'text',
        value: '<format>',
        help: 'how to draw it',
        choices: formats,
      },
      { name: 'open', type: 'flag', help: 'only tasks that are not closed' },
      ...filterOptions,
    ],
    examples: [
      { command: 'gza graph --format mermaid', shows: 'for Markdown on GitHub' },
      { command: 'gza graph --format dot | dot -Tsvg > graph.svg', shows: 'a picture' },
    ],
  },
  run: async (invocation, ports) => {
    const project = await loadProject(ports);
    const { board } = project;
    const { isReady } = await readinessIn(project);
    const open = invocation.options['open'] === true;
    const views = selectViews(board, invocation).filter(
      (view) => !open || (view.status !== 'completed' && view.status !== 'skipped'),
    );
    const draw = { text: textGraph, mermaid: mermaidGraph, dot: dotGraph };
    const format = (invocation.options['format'] as (typeof formats)[number] | undefined) ?? 'text';
    const json = {
      nodes: views.map((view) => ({
        id: view.id,
        title: view.task.title,
        status: view.status,
        ready: isReady(view),
      })),
      edges: views.flatMap((view) =>
        board.graph
          .dependencies(view.id)
          .map(({ id, why, file }) => ({ from: id, to: view.id, why, file: file ?? null })),
      ),
      cycles: board.graph.cycles,
    };
    return { json, text: draw[format](views, board) };
  },
};
