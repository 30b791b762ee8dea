/**
 * The lines of the new file that its diff shows, changed or not. Forges allow comments on no other lines.
 * `patch` is one file's diff from the forge: hunks without the file headers.
 */
export function linesInDiff(patch: string): Set<number> {
  const shown = new Set<number>();
  let line: number | null = null;
  for (const text of patch.split('\n')) {
    const hunk = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text);
    if (hunk) line = Number(hunk[1]);
    else if (line !== null && (text.startsWith('+') || text.startsWith(' '))) {
      shown.add(line);
      line += 1;
    }
  }
  return shown;
}
