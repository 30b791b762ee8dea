/** `ledger.json` ↔ what a ledger says about itself. */
import { GzaError } from '../errors.ts';
import { flag, list, longText, map, number, object, oneOf, time } from '../shape.ts';
import type { LedgerMeta } from './ledger-state.ts';
import { branchName, claimShape, taskId } from './record/record-shape.ts';

const metaShape = object(
  { v: oneOf([1]), branch: branchName, lane: taskId },
  {
    base: flag,
    claims: list(claimShape, 10_000),
    not_before: map(time, 1_000),
    spent: map(number, 100),
    tokens_in: map(number, 100),
    tokens_out: map(number, 100),
    marks: map(longText, 10_000),
  },
);

export type ParsedMeta =
  | { readonly kind: 'meta'; readonly meta: LedgerMeta; readonly problems: readonly string[] }
  | { readonly kind: 'bad'; readonly why: string; readonly isNewer?: boolean };

export function parseMeta(text: string): ParsedMeta {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'bad', why: 'ledger.json is not JSON' };
  }
  if (
    typeof value === 'object' &&
    value !== null &&
    'v' in value &&
    typeof value.v === 'number' &&
    value.v > 1
  ) {
    const why = `it was written by a newer gza (format ${value.v}); update gza to read it`;
    return { kind: 'bad', why, isNewer: true };
  }
  const problems: string[] = [];
  const meta = metaShape(value, (problem) => problems.push(problem)) as LedgerMeta | undefined;
  if (meta === undefined) return { kind: 'bad', why: `ledger.json: ${problems.at(-1) ?? 'not a ledger'}` };
  return { kind: 'meta', meta, problems };
}

export function printMeta(meta: LedgerMeta): string {
  const canonical = metaShape(meta, () => {});
  if (canonical === undefined) {
    throw new GzaError(
      'input',
      `the ledger of ${meta.branch} cannot be stored: a value in ledger.json is not valid`,
    );
  }
  return `${JSON.stringify(canonical)}\n`;
}
