/** That nothing new starts, with who wants it so. */
export const pausedMark = 'paused';

/** That a person wants a lane on top of its base: kept in the base ledger until the lane is free. */
export function rebaseMark(branch: string): string {
  return `rebase:${branch}`;
}
