/** Picks the longest form of a text that fits, trying the whole text first. */
export interface Staged {
  readonly text: string;
  /** 0 for the whole text. */
  readonly stage: number;
}

/** Null when not even the last form fits. */
export function fitStages<Limits>(
  stages: readonly Limits[],
  print: (limits: Limits, stage: number) => string,
  charsMax: number,
): Staged | null {
  for (const [stage, limits] of stages.entries()) {
    const text = print(limits, stage);
    if (text.length <= charsMax) return { text, stage };
  }
  return null;
}
