/** Each permission that a token lacks, once: what could not be done for it, and the line that grants it. */
import type { GzaError } from '../../errors.ts';
import { errorNotice } from './notice.ts';

interface MissingText {
  readonly permission: string;
  readonly message: string;
  readonly hint: string;
}

function missingTexts(errors: readonly GzaError[]): MissingText[] {
  const permissionOf = ({ data }: GzaError) => String(data['permission']);
  return [...new Set(errors.map(permissionOf))].map((permission) => {
    const of = errors.filter((error) => permissionOf(error) === permission);
    const not = [...new Set(of.map(({ data }) => String(data['operation'])))];
    const message = `The token lacks the permission ${permission}, so gza could not ${not.join(', nor ')}.`;
    return { permission, message, hint: of[0]?.hint ?? '' };
  });
}

export function missingWarnings(errors: readonly GzaError[]): string[] {
  return missingTexts(errors).map(({ message, hint }) => `${message} ${hint}`);
}

/** For the board, where that can be written. */
export function missingNotices(errors: readonly GzaError[]): string[] {
  return missingTexts(errors).map(({ permission, message, hint }) => errorNotice(permission, message, hint));
}

export function missingSummary(errors: readonly GzaError[]): string {
  return `#### The token lacks permissions\n\n${missingNotices(errors).join('\n')}\n`;
}
