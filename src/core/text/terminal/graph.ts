/** `graph`: the dependencies between tasks, as Mermaid, DOT or text. */
import type { Board, Status, TaskView } from '../../board/board.ts';
import { oneLine } from '../../markdown/neutralise.ts';
import { shorten } from './lines.ts';

/** Mermaid refuses larger graphs on GitHub. */
const mermaidEdgesMax = 280;

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly why: 'explicit' | 'file';
}

function edgesOf(views: readonly TaskView[], board: Board): Edge[] {
  const shown = new Set(views.map((view) => view.id));
  return views.flatMap((view) =>
    board.graph
      .dependencies(view.id)
      .filter(({ id }) => shown.has(id))
      .map(({ id, why }) => ({ from: id, to: view.id, why })),
  );
}

const fills: Record<Status | 'unapproved', string> = {
  completed: '#2da44e,color:#fff',
  unapproved: '#bf8700,color:#fff',
  skipped: '#8c959f,color:#fff',
  failed: '#cf222e,color:#fff',
  in_progress: '#0969da,color:#fff',
  blocked: '#fff8c5,color:#24292f',
  pending: '#f6f8fa,color:#24292f',
};

function lookOf({ status, unapproved }: TaskView): Status | 'unapproved' {
  return unapproved ? 'unapproved' : status;
}

/** Includes the `!` that lists show, because the fill colour alone is hard to understand. */
function labelOf(view: TaskView): string {
  return `${view.unapproved ? '! ' : ''}${view.id}: ${shorten(view.task.title, 40)}`;
}

export function mermaidGraph(views: readonly TaskView[], board: Board): string {
  const names = new Map(views.map((view, at) => [view.id, `t${at}`]));
  const edges = edgesOf(views, board);
  const lines = ['graph LR'];
  for (const view of views) lines.push(`  ${names.get(view.id)}["${mermaidLabel(view)}"]:::${lookOf(view)}`);
  for (const { from, to, why } of edges.slice(0, mermaidEdgesMax)) {
    lines.push(`  ${names.get(from)} ${why === 'file' ? '-.->' : '-->'} ${names.get(to)}`);
  }
  if (edges.length > mermaidEdgesMax)
    lines.push(`  %% ${edges.length - mermaidEdgesMax} more edges are not shown`);
  for (const status of new Set(views.map(lookOf))) {
    lines.push(`  classDef ${status} fill:${fills[status]},stroke:#8c959f`);
  }
  return lines.join('\n');
}

/**
 * Replaces characters that are special to Mermaid or HTML with their full-width forms. Entities would work
 * too, but GitHub could read "fixes #34;" in a squashed commit's message as a closing reference.
 */
function mermaidLabel(view: TaskView): string {
  return labelOf(view).replaceAll(/[!-~]/g, (character) =>
    /[\w.,:/+-]/.test(character) ? character : String.fromCodePoint((character.codePointAt(0) ?? 0) + 0xfee0),
  );
}

export function dotGraph(views: readonly TaskView[], board: Board): string {
  const quote = (text: string) => `"${oneLine(text, 200).replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  const nodes = views.map((view) => {
    const fill = fills[lookOf(view)].split(',')[0] as string;
    return `  ${quote(view.id)} [label=${quote(labelOf(view))}, fillcolor=${quote(fill)}];`;
  });
  const edges = edgesOf(views, board).map(
    ({ from, to, why }) => `  ${quote(from)} -> ${quote(to)}${why === 'file' ? ' [style=dashed]' : ''};`,
  );
  return [
    'digraph tasks {',
    '  rankdir=LR;',
    '  node [shape=box, style="rounded,filled"];',
    ...nodes,
    ...edges,
    '}',
  ].join('\n');
}

/** `task-b → task-c (blocked)`, one edge per line. Tasks without edges get a line of their own. */
export function textGraph(views: readonly TaskView[], board: Board): string {
  const edges = edgesOf(views, board);
  const touched = new Set(edges.flatMap(({ from, to }) => [from, to]));
  const named = (id: string) => `${board.views.get(id)?.unapproved ? '! ' : ''}${id}`;
  const blocked = (to: string, from: string) =>
    board.views.get(to)?.blockers.some((blocker) => blocker.id === from) ? ' (blocked)' : '';
  return [
    ...edges.map(
      ({ from, to, why }) =>
        `${named(from)} → ${named(to)}${why === 'file' ? ' (by file)' : ''}${blocked(to, from)}`,
    ),
    ...views.filter((view) => !touched.has(view.id)).map(({ id }) => named(id)),
  ].join('\n');
}
