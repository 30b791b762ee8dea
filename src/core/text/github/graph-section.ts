/** The dependency graph for GitHub to draw: some tasks, what they wait for, and what waits for them. */
import type { Board, TaskView } from '../../board/board.ts';
import { mermaidGraph } from '../terminal/graph.ts';
import { count } from '../terminal/lines.ts';

/** GitHub refuses to draw larger sources. */
const mermaidCharsMax = 45_000;

/** Empty for fewer than three linked tasks, because a line of text shows two tasks better. */
export function graphSection(tasks: readonly TaskView[], board: Board, nodesMax: number): string {
  if (nodesMax === 0) return '';
  const near = new Set(tasks.map(({ id }) => id));
  const linked = new Set<string>();
  for (const { id } of tasks) {
    const links = [...board.graph.dependencies(id), ...board.graph.dependents(id)];
    for (const link of links) near.add(link.id);
    if (links.length > 0) for (const one of [id, ...links.map((link) => link.id)]) linked.add(one);
  }
  const views = [...near]
    .flatMap((id) => (linked.has(id) ? (board.views.get(id) ?? []) : []))
    .toSorted((a, b) => a.position - b.position);
  if (views.length < 3) return '';
  const shown = views.slice(0, nodesMax);
  const source = mermaidGraph(shown, board);
  if (source.length > mermaidCharsMax) return '';
  const more = views.length > shown.length ? `, the first ${shown.length} of them` : '';
  return [
    `<details><summary>Dependency graph (${count(views.length, 'task')}${more})</summary>`,
    '',
    '```mermaid',
    source,
    '```',
    '',
    '</details>',
  ].join('\n');
}
