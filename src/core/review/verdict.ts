export const verdicts = ['APPROVED', 'CHANGES_REQUESTED', 'NEEDS_DISCUSSION'] as const;

export type Verdict = (typeof verdicts)[number];
