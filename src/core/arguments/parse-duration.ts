import { GzaError } from '../errors.ts';

const secondsOf = { s: 1, m: 60, h: 3600, d: 86_400 } as const;
const daysMax = 30;

/** The seconds in `90s`, `30m`, `2h` or `1d`; a bare number is minutes. */
export function parseDuration(text: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)\s*(s|m|h|d)?(?:ec|in|our|ay)?s?$/.exec(text.trim());
  const seconds = match
    ? Number(match[1]) * secondsOf[(match[2] ?? 'm') as keyof typeof secondsOf]
    : Number.NaN;
  if (!(seconds > 0) || seconds > daysMax * secondsOf.d) {
    throw new GzaError(
      'usage',
      `a time is a number with s, m, h or d, at most ${daysMax}d; found "${text}"`,
      {
        hint: 'For example: --for 30m',
      },
    );
  }
  return seconds;
}
