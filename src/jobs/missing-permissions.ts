/**
 * What a token may not do keeps nothing else from being done: the refusals are put together, and each permission that
 * lacks is named with what could not be done and the line that grants it.
 */
import { type GzaError, isGzaError } from '../core/errors.ts';
import { errorNotice } from '../core/text/notice.ts';
import type { Ci } from './ci.ts';

export type OnMissing = (error: GzaError) => void;

export function isMissingPermission(error: unknown): error is GzaError {
  return isGzaError(error) && typeof error.data['permission'] === 'string';
}

/** Whether it was done. Without `onMissing` a refusal ends the work, as any other error does. */
export async function unlessMissing(
  onMissing: OnMissing | undefined,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!onMissing || !isMissingPermission(error)) throw error;
    onMissing(error);
    return false;
  }
}

/** Permission → what it was needed for, and what to add. */
function missingTexts(
  errors: readonly GzaError[],
): Map<string, { readonly message: string; readonly hint: string }> {
  const texts = new Map<string, { message: string; hint: string }>();
  for (const { data, hint = '' } of errors) {
    const permission = String(data['permission']);
    if (texts.has(permission)) continue;
    const of = errors.filter((error) => error.data['permission'] === permission);
    const not = [...new Set(of.map((error) => String(error.data['operation'])))];
    const message = `The token lacks the permission ${permission}, so gza could not ${not.join(', nor ')}.`;
    texts.set(permission, { message, hint });
  }
  return texts;
}

/** One warning each. The job ends as it would have: what it did is recorded, and the next pick does the rest. */
export function sayMissing(ci: Pick<Ci, 'warn' | 'summary'>, errors: readonly GzaError[]): void {
  const texts = missingTexts(errors);
  for (const { message, hint } of texts.values()) ci.warn(`${message} ${hint}`);
  ci.summary(`#### The token lacks permissions\n\n${missingNotices(errors).join('\n')}\n`);
}

/** For the board, where that can be written. */
export function missingNotices(errors: readonly GzaError[]): string[] {
  return [...missingTexts(errors)].map(([name, { message, hint }]) => errorNotice(name, message, hint));
}
