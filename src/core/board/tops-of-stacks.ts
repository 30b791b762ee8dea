/** Of several branches those that no other of them is stacked on: what is built on one has what is below it. */
export function topsOfStacks(
  branches: readonly string[],
  stackedOn: (branch: string) => string | undefined,
): string[] {
  const wanted = [...new Set(branches)];
  const below = new Set<string>();
  if (wanted.length > 1) {
    for (const branch of wanted) {
      const seen = new Set([branch]);
      for (let next = stackedOn(branch); next !== undefined && !seen.has(next); next = stackedOn(next)) {
        seen.add(next);
        below.add(next);
      }
    }
  }
  return wanted.filter((branch) => !below.has(branch));
}
