/**
 * The lines of the new file that a diff of one file shows, changed or not. A comment may stand on these and on no
 * others. The patch is what a forge gives of one file: hunks without the names above them.
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
