/** Formats money, tokens and time the same way in every text. */
import type { TaskRecord } from '../ledger/record/record.ts';
import { printDuration } from '../time.ts';

/** `–` for an unknown cost. `unpriced`: tokens of unknown price, which `usd` does not include. */
export function costText(usd: number | undefined, unpriced = 0): string {
  if (unpriced > 0)
    return usd ? `$${usd.toFixed(2)} + ${tokenText(unpriced)}` : `unknown: ${tokenText(unpriced)}`;
  return usd === undefined ? '–' : `$${usd.toFixed(2)}`;
}

export function costOfRecord(record: Pick<TaskRecord, 'cost_usd' | 'unpriced_tokens'> | null): string {
  return costText(record?.cost_usd, record?.unpriced_tokens);
}

/** The cost of several tasks; `–` if none of them has a known cost. */
export function costOfRecords(records: readonly (TaskRecord | null)[]): string {
  const unpriced = sumKnown(records.map((record) => record?.unpriced_tokens));
  return costText(sumKnown(records.map((record) => record?.cost_usd)), unpriced);
}

/** `40k tokens` */
export function tokenText(tokens: number): string {
  return `${tokens < 1000 ? tokens : `${Math.round(tokens / 1000)}k`} tokens`;
}

export function timeText(seconds: number | undefined): string {
  return seconds === undefined || seconds === 0 ? '–' : printDuration(seconds);
}

/** The sum of what is known; undefined when nothing is. */
export function sumKnown(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((one) => one !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, one) => sum + one, 0);
}
