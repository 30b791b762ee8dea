/** Money and time as every text on GitHub prints them. */
import { printDuration } from '../time.ts';

/** `–` where nobody told the cost. */
export function costText(usd: number | undefined): string {
  return usd === undefined ? '–' : `$${usd.toFixed(2)}`;
}

export function timeText(seconds: number | undefined): string {
  return seconds === undefined || seconds === 0 ? '–' : printDuration(seconds);
}

/** The sum of what is known; undefined when nothing is. */
export function sumKnown(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}
