/** The known word that a mistyped one most likely stands for, or null when none is near. */
export function nearestWord(word: string, known: Iterable<string>): string | null {
  const written = plain(word);
  if (written.length === 0 || written.length > 40) return null;
  let best: string | null = null;
  let least = Math.max(1, Math.floor(written.length / 3)) + 1;
  for (const candidate of known) {
    const distance = editDistance(written, plain(candidate), least);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return best;
}

/** `dependsOn`, `depends-on` and `Depends_On` are the same word to a person. */
function plain(word: string): string {
  return word.replaceAll(/[-_ ]/g, '').toLowerCase();
}

/** Damerau-Levenshtein distance (swapped neighbours count once), at most `limit`. */
export function editDistance(a: string, b: string, limit = Number.POSITIVE_INFINITY): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(row[j - 1]! + 1, above[j]! + 1, above[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, before[j - 2]! + 1);
      }
      row.push(cost);
    }
    before = above;
    above = row;
  }
  return Math.min(above[b.length]!, limit);
}
