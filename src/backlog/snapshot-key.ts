import { fieldRows } from '../core/task/task-fields.ts';
import { version } from '../core/version.ts';

/** Raised when a change of the parsers or of the format makes older snapshots wrong. */
const snapshotFormat = 3;

const fields = Object.keys(fieldRows).join();

/** A snapshot is taken from the cache only if the same program wrote it for the same place. */
export function snapshotKey(place: string): string {
  return JSON.stringify([snapshotFormat, version, fields, place]);
}
