/**
 * A task that modifies a file which another creates waits for it. Nobody wrote these dependencies down, so they
 * give way: one that would close a cycle is dropped with a warning.
 */

import { naturalCompare } from '../natural-compare.ts';
import { normalisePaths } from '../task/declared-files.ts';
import { type NumberedEdge, strongComponents } from './strong-components.ts';
import type { Tree } from './tree.ts';

export interface FileEdge extends NumberedEdge {
  readonly file: string;
}

export interface GraphWarning {
  /** The task that does not wait, or is not waited for. */
  readonly id: string;
  readonly message: string;
}

/** More tasks than this that create one file: the rest is not waited for. Keeps the graph linear. */
export const creatorsMax = 50;

interface FileNode {
  readonly id: string;
  readonly files_to_create?: readonly string[] | undefined;
  readonly files_to_modify?: readonly string[] | undefined;
  readonly closed: boolean;
  readonly isUnmerged?: boolean;
}

export function fileEdges(
  nodes: readonly FileNode[],
  tree: Tree,
): { edges: FileEdge[]; warnings: GraphWarning[] } {
  const creators = creatorsByFile(nodes);
  const warnings = boundCreators(creators, nodes);
  const edges: FileEdge[] = [];
  if (creators.size === 0) return { edges, warnings };
  for (const [from, node] of nodes.entries()) {
    if (node.closed) continue;
    for (const file of normalisePaths(node.files_to_modify)) {
      const found = creators.get(file);
      if (found === undefined || found.includes(from)) continue;
      for (const to of found) {
        if (!areFamily(tree, node.id, nodes[to]!.id)) edges.push({ from, to, file });
      }
    }
  }
  return { edges, warnings };
}

/** Of closed creators only those count that are not merged: else their file is there, or never will be. */
function creatorsByFile(nodes: readonly FileNode[]): Map<string, number[]> {
  const creators = new Map<string, number[]>();
  for (const [index, node] of nodes.entries()) {
    if ((node.closed && !node.isUnmerged) || node.files_to_create === undefined) continue;
    for (const file of normalisePaths(node.files_to_create)) {
      if (!creators.get(file)?.push(index)) creators.set(file, [index]);
    }
  }
  return creators;
}

function boundCreators(creators: Map<string, number[]>, nodes: readonly FileNode[]): GraphWarning[] {
  const warnings: GraphWarning[] = [];
  for (const [file, indexes] of creators) {
    if (indexes.length <= creatorsMax) continue;
    const message = `${indexes.length} tasks create ${file}; only the first ${creatorsMax} by id are waited for by tasks that modify it`;
    indexes.sort((a, b) => naturalCompare(nodes[a]!.id, nodes[b]!.id));
    warnings.push({ id: nodes[indexes[creatorsMax]!]!.id, message });
    indexes.length = creatorsMax;
  }
  return warnings;
}

/** A task and the subtasks that carry it out declare the same files and do not wait for each other. */
function areFamily(tree: Tree, a: string, b: string): boolean {
  return tree.isAbove(a, b) || tree.isAbove(b, a);
}

/**
 * Keeps every file edge outside cycles. Inside one, keeps those that agree with one fixed order: the written
 * dependencies first, then the ids. So of two tasks that modify each other's new files, one waits.
 */
export function keepAcyclic(
  ids: readonly string[],
  written: readonly NumberedEdge[],
  files: readonly FileEdge[],
): { kept: readonly FileEdge[]; dropped: readonly FileEdge[] } {
  if (files.length === 0) return { kept: files, dropped: [] };
  const all = strongComponents(ids.length, [...written, ...files]).of;
  if (files.every(({ from, to }) => all[from] !== all[to])) return { kept: files, dropped: [] };

  const byId = ids.map((_, index) => index).sort((a, b) => naturalCompare(ids[a]!, ids[b]!));
  const rank = new Int32Array(ids.length);
  for (const [position, index] of byId.entries()) rank[index] = position;
  const sorted = written.toSorted((a, b) => rank[a.to]! - rank[b.to]!);
  const fixed = strongComponents(ids.length, sorted, byId).of;
  const agrees = ({ from, to }: FileEdge) => all[from] !== all[to] || fixed[to]! < fixed[from]!;
  return { kept: files.filter(agrees), dropped: files.filter((edge) => !agrees(edge)) };
}

export function droppedWarning(ids: readonly string[], { from, to, file }: FileEdge): GraphWarning {
  const id = ids[from]!;
  const on = ids[to]!;
  const message = `#${id} modifies ${file}, which #${on} creates, but waiting for it would close a cycle: it does not wait`;
  return { id, message };
}
