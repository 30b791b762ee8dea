/**
 * What gza reads out of a patch. A patch is kept as a string of bytes (one character per byte, `latin1`), so that
 * offsets are exact and a hostile encoding cannot shift them; paths are decoded strictly.
 */
export interface FileChange {
  readonly path: string;
  readonly kind: 'add' | 'modify' | 'delete' | 'mode';
  /** As git prints it, `100644`; null on the side where there is no file. */
  readonly oldMode: string | null;
  readonly newMode: string | null;
  /** Null for a change of the mode alone. */
  readonly oldOid: string | null;
  readonly newOid: string | null;
  readonly addedLines: readonly AddedLine[];
  readonly binary: BinaryChange | null;
  /** Where this file's part of the patch begins and ends. */
  readonly start: number;
  readonly end: number;
}

export interface AddedLine {
  /** Counted from 1 in the new file. */
  readonly line: number;
  /** One character per byte. */
  readonly text: string;
}

export interface BinaryChange {
  readonly forward: BinaryHunk;
  readonly reverse: BinaryHunk | null;
}

export interface BinaryHunk {
  readonly method: 'literal' | 'delta';
  /** What the patch says its data inflates to; not to be believed before it was measured. */
  readonly declaredBytes: number;
  /** Where the base85 lines begin and end. */
  readonly start: number;
  readonly end: number;
}

export interface PatchLimits {
  readonly patchBytesMax: number;
  readonly filesMax: number;
  /** What one binary file, and all of them together, may inflate to. */
  readonly fileBytesMax: number;
  readonly inflatedBytesMax: number;
}

export const patchLimits: PatchLimits = {
  patchBytesMax: 20 << 20,
  filesMax: 3000,
  fileBytesMax: 5 << 20,
  inflatedBytesMax: 60 << 20,
};

export type ParsedPatch =
  | { readonly kind: 'parsed'; readonly changes: readonly FileChange[] }
  | { readonly kind: 'unreadable'; readonly why: string; readonly line: number };

/** The same patch with only these changes in it. */
export function keepChanges(patch: string, changes: readonly FileChange[]): string {
  return changes.map((change) => patch.slice(change.start, change.end)).join('');
}
