/** What doctor found out about one thing: how bad it is, in words, and what to do. */
export type Level = 'ok' | 'warning' | 'problem';

export interface Judged {
  /** What was looked at. */
  readonly kind: string;
  readonly level: Level;
  readonly says: string;
  /** Null where all is well. */
  readonly todo: string | null;
  /** What was seen, for scripts. */
  readonly [seen: string]: unknown;
}

export const fine = (kind: string, says: string, seen: object = {}): Judged => ({
  kind,
  level: 'ok',
  ...seen,
  says,
  todo: null,
});

export const wrong = (
  kind: string,
  level: 'warning' | 'problem',
  says: string,
  todo: string,
  seen: object = {},
): Judged => ({ kind, level, ...seen, says, todo });

/** The worst of all. */
export function worstOf(judged: readonly Judged[]): Level {
  if (judged.some((one) => one.level === 'problem')) return 'problem';
  return judged.some((one) => one.level === 'warning') ? 'warning' : 'ok';
}
