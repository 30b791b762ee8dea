/** Which tasks may run side by side: those whose declared files are disjoint. Who declares none overlaps none. */
import { type DeclaresFiles, declaredFiles, normalisePath } from './declared-files.ts';

export function independent(a: DeclaresFiles, b: DeclaresFiles): boolean {
  const files = new Set(declaredFiles(a));
  return declaredFiles(b).every((file) => !files.has(file));
}

export interface Candidate extends DeclaresFiles {
  readonly id: string;
}

export interface Running {
  readonly id: string;
  readonly files?: readonly string[] | undefined;
}

export interface Held {
  readonly id: string;
  /** The running or chosen task that has the file. */
  readonly by: string;
  readonly file: string;
}

export interface Batch<T extends Candidate> {
  readonly picked: readonly T[];
  /** Could not start because of a file; those beyond `max` are in neither list. */
  readonly held: readonly Held[];
}

/** The first candidates, in their order, that overlap neither what runs nor each other; at most `max` of them. */
export function pickBatch<T extends Candidate>(
  candidates: readonly T[],
  running: readonly Running[],
  max: number,
): Batch<T> {
  const takenBy = new Map<string, string>();
  for (const { id, files } of running) for (const file of files ?? []) takenBy.set(normalisePath(file), id);
  const picked: T[] = [];
  const held: Held[] = [];
  for (const candidate of candidates) {
    if (picked.length >= max) break;
    const files = declaredFiles(candidate);
    const file = files.find((path) => takenBy.has(path));
    if (file !== undefined) {
      held.push({ id: candidate.id, by: takenBy.get(file)!, file });
      continue;
    }
    for (const path of files) takenBy.set(path, candidate.id);
    picked.push(candidate);
  }
  return { picked, held };
}
