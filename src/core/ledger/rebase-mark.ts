/** That nothing new starts, with who wants it so. */
export const pausedMark = 'paused';

/** Tasks that a person wants before all others, the last asked for first. */
export const firstMark = 'first';

export function readFirst(value = ''): string[] {
  return value.split(' ').filter(Boolean);
}

/** That a person wants a lane on top of its base: kept in the base ledger until the lane is free. */
export function rebaseMark(branch: string): string {
  return `rebase:${branch}`;
}
