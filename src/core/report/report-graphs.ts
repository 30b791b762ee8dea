/**
 * The graphs of the report. If one graph of all tasks would be too dense, the first graph shows the groups
 * (or milestones), and each of these has its own graph.
 */
import { type LayoutEdge, layoutGraph } from './graph-layout.ts';
import type { ReportState, ReportTask } from './report-data.ts';

export interface ReportGraph {
  readonly name: string;
  /** `tasks`: nodes are indexes of tasks. `parts`: nodes are indexes of the other graphs. */
  readonly of: 'tasks' | 'parts';
  /** node, column, row, node, column, row … */
  readonly nodes: readonly number[];
  /** Positions in `nodes`, counted in groups of three: from, to, from, to … */
  readonly edges: readonly number[];
  /** Number of tasks that are not drawn. */
  readonly cut: number;
  readonly counts: Readonly<Record<ReportState, number>>;
}

/** A graph with more nodes is unreadable. */
const graphNodesMax = 1_500;
const edgesMax = 6_000;
const partsMax = 400;

export function reportGraphs(tasks: readonly ReportTask[]): ReportGraph[] {
  const everything = tasks.map((_, at) => at);
  if (tasks.length <= graphNodesMax) return [drawTasks('All tasks', tasks, everything)];
  const byGroup = tasks.filter(({ group }) => group !== undefined).length;
  const byMilestone = tasks.filter(({ milestone }) => milestone !== undefined).length;
  const useGroups = byGroup >= byMilestone;
  const none = useGroups ? '(no group)' : '(no milestone)';
  const members = new Map<string, number[]>();
  for (const [at, { group, milestone }] of tasks.entries()) {
    const part = (useGroups ? group : milestone) ?? none;
    if (!members.get(part)?.push(at)) members.set(part, [at]);
  }
  const largest = [...members].sort((a, b) => b[1].length - a[1].length).slice(0, partsMax);
  const parts = largest.map(([name, own]) => drawTasks(name, tasks, own));
  const owns = largest.map(([, own]) => own);
  return [drawParts(useGroups ? 'Groups' : 'Milestones', tasks, owns), ...parts];
}

function drawTasks(name: string, tasks: readonly ReportTask[], members: readonly number[]): ReportGraph {
  const open = (at: number) => tasks[at]?.state !== 'done' && tasks[at]?.state !== 'skipped';
  const chosen =
    members.length <= graphNodesMax
      ? members
      : [...members].sort((a, b) => Number(open(b)) - Number(open(a)) || a - b).slice(0, graphNodesMax);
  const place = new Map(chosen.map((at, n) => [at, n]));
  const edges = chosen.flatMap((at, to) =>
    (tasks[at]?.after ?? []).flatMap((on) => {
      const from = place.get(on);
      return from === undefined ? [] : [{ from, to }];
    }),
  );
  return draw(
    name,
    'tasks',
    chosen,
    edges,
    members.length - chosen.length,
    countStates(members.map((at) => tasks[at] as ReportTask)),
  );
}

/** A part depends on another if one of its tasks does. */
function drawParts(
  name: string,
  tasks: readonly ReportTask[],
  parts: readonly (readonly number[])[],
): ReportGraph {
  const partOf = new Map(parts.flatMap((own, at) => own.map((task) => [task, at] as const)));
  const seen = new Set<string>();
  const edges: LayoutEdge[] = [];
  for (const [task, to] of partOf) {
    for (const on of tasks[task]?.after ?? []) {
      const from = partOf.get(on);
      if (from === undefined || from === to || seen.has(`${from} ${to}`)) continue;
      seen.add(`${from} ${to}`);
      edges.push({ from, to });
    }
  }
  const drawn = parts.reduce((sum, own) => sum + own.length, 0);
  const nodes = parts.map((_, at) => at + 1);
  return draw(name, 'parts', nodes, edges, tasks.length - drawn, countStates(tasks));
}

function draw(
  name: string,
  of: ReportGraph['of'],
  nodes: readonly number[],
  edges: readonly LayoutEdge[],
  cut: number,
  counts: ReportGraph['counts'],
): ReportGraph {
  const kept = edges.slice(0, edgesMax);
  const places = layoutGraph(nodes.length, kept);
  return {
    name,
    of,
    nodes: nodes.flatMap((node, at) => [node, places[at]?.column ?? 0, places[at]?.row ?? 0]),
    edges: kept.flatMap(({ from, to }) => [from, to]),
    cut,
    counts,
  };
}

function countStates(tasks: readonly ReportTask[]): ReportGraph['counts'] {
  const counts = { person: 0, working: 0, ready: 0, blocked: 0, failed: 0, done: 0, skipped: 0 };
  for (const { state } of tasks) counts[state] += 1;
  return counts;
}
