/** The result of one check by doctor: how bad it is, in words, and what to do. */
export type Level = 'ok' | 'warning' | 'problem';

export interface Judged {
  /** The name of the check. */
  readonly kind: string;
  readonly level: Level;
  readonly says: string;
  /** What to do about it; null when nothing is wrong. */
  readonly todo: string | null;
  /** The facts behind the result, for scripts. */
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

export function worstOf(judged: readonly Judged[]): Level {
  if (judged.some((one) => one.level === 'problem')) return 'problem';
  return judged.some((one) => one.level === 'warning') ? 'warning' : 'ok';
}
