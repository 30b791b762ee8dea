/** What happened → a commit message: a sentence for people, then the events as one line of JSON. */

import { GzaError } from '../../errors.ts';
import { describeEntry } from '../describe-event.ts';
import type { LedgerEntry } from '../event.ts';
import { entryShape } from './parse-entry.ts';

export function printEntry(entry: LedgerEntry): string {
  const problems: string[] = [];
  const canonical = entryShape(entry, (problem) => problems.push(problem));
  if (canonical === undefined || problems.length > 0) {
    const kinds = [...new Set(entry.events.map((event) => event.kind))].join(', ');
    throw new GzaError('input', `the event (${kinds}) cannot be stored: ${problems.join('; ')}`, {
      hint: 'A value is missing, of the wrong kind or too long.',
    });
  }
  return `${describeEntry(entry)}\n\n${JSON.stringify(canonical)}\n`;
}
