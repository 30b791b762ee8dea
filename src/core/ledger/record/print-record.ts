/** A task's record → one line of a ledger: keys in a fixed order, unset fields left out. */
import { GzaError } from '../../errors.ts';
import type { TaskRecord } from './record.ts';
import { recordShape } from './record-shape.ts';

export function printRecord(record: TaskRecord): string {
  const problems: string[] = [];
  const canonical = recordShape(record, (problem) => problems.push(problem));
  if (canonical === undefined || problems.length > 0) {
    throw new GzaError('input', `task ${record.id} cannot be stored: ${problems.join('; ')}`, {
      hint: 'Shorten or correct that field. Long material belongs into a file of the repository.',
    });
  }
  return JSON.stringify(canonical);
}
