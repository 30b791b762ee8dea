/**
 * `loop: until-verified`: a fresh session each round, until the checks pass and the agent says that it is
 * done.
 */
export interface Round {
  /** From 1. */
  readonly round: number;
  readonly roundsMax: number;
  readonly isVerified: boolean;
  readonly saidDone: boolean;
}

export type RoundEnd =
  | { readonly kind: 'done' }
  | { readonly kind: 'again'; readonly because: string }
  | { readonly kind: 'spent'; readonly because: string };

/** Both are needed: checks that pass may not cover the work, and a promise proves nothing. */
export function afterRound({ round, roundsMax, isVerified, saidDone }: Round): RoundEnd {
  if (isVerified && saidDone) return { kind: 'done' };
  const because = isVerified
    ? 'the checks pass, but the agent did not say that it is done'
    : saidDone
      ? 'the agent said that it is done, but the checks fail'
      : 'the checks fail, and the agent did not say that it is done';
  return round < roundsMax
    ? { kind: 'again', because }
    : { kind: 'spent', because: `${because}; all ${roundsMax} rounds are used` };
}
