/** Why a task cannot start: what it waits for, and whether waiting will ever help. */
import type { Dependency, Graph } from './graph.ts';

/** How a dependency stands, as status.ts derives it. */
export type DependencyState = 'met' | 'waiting' | 'failed' | 'dropped';

export type Blocker =
  | { readonly kind: 'waiting' | 'failed' | 'dropped'; readonly id: string; readonly file?: string }
  | { readonly kind: 'missing'; readonly id: string }
  | { readonly kind: 'cycle'; readonly path: readonly string[] };

/** What a person must settle comes first, then what only takes time. */
export function blockersOf(
  graph: Graph,
  id: string,
  stateOf: (dependency: Dependency) => DependencyState,
): Blocker[] {
  const cycle: Blocker[] = graph.inCycle(id) ? [{ kind: 'cycle', path: cycleOf(graph, id) }] : [];
  const missing = graph.missing(id).map((id): Blocker => ({ kind: 'missing', id }));
  const unmet = graph.dependencies(id).flatMap((dependency): (Blocker & { kind: string })[] => {
    const kind = stateOf(dependency);
    if (kind === 'met') return [];
    const { id, file } = dependency;
    return [file === undefined ? { kind, id } : { kind, id, file }];
  });
  const waiting = unmet.filter(({ kind }) => kind === 'waiting');
  return [...cycle, ...missing, ...unmet.filter(({ kind }) => kind !== 'waiting'), ...waiting];
}

/** The cycle shown for its knot; a member that is not on that path stands alone. */
function cycleOf(graph: Graph, id: string): readonly string[] {
  return graph.cycles.find((path) => path.includes(id)) ?? [id];
}
