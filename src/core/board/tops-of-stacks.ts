/** Of several branches those that no other of them stands on: what is built on one has what is below it. */
export function topsOfStacks(
  branches: readonly string[],
  standsOn: (branch: string) => readonly string[],
): string[] {
  const wanted = [...new Set(branches)];
  const below = new Set<string>();
  if (wanted.length > 1) {
    for (const branch of wanted) {
      const seen = new Set([branch]);
      // Grows while it is gone through.
      for (const one of seen) {
        for (const next of standsOn(one)) {
          if (seen.has(next)) continue;
          seen.add(next);
          below.add(next);
        }
      }
    }
  }
  return wanted.filter((branch) => !below.has(branch));
}
