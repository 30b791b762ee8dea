/** Describes branches that conflict with each other. */
import type { Clash } from '../ledger/marks.ts';
import { oneLine } from '../markdown/neutralise.ts';

const filesShown = 5;
const clashesShown = 20;

/** `gza/a and gza/b conflict in seed.txt`. */
export function clashLines(clashes: readonly Clash[]): string[] {
  const lines = clashes
    .slice(0, clashesShown)
    .map(({ branches, files }) => `${branches.map(named).join(' and ')} conflict in ${filesText(files)}`);
  const more = clashes.length - lines.length;
  return more > 0 ? [...lines, `and ${more} more pairs`] : lines;
}

/** `gza/b in seed.txt`: what one branch conflicts with. */
export function clashesOf(branch: string | undefined, clashes: readonly Clash[]): string[] {
  const own = clashes.filter(({ branches }) => branch !== undefined && branches.includes(branch));
  return own.slice(0, clashesShown).map(({ branches, files }) => {
    const other = branches.find((one) => one !== branch) ?? '';
    return `${named(other)} in ${filesText(files)}`;
  });
}

/** Cleaned, because anyone who can push chooses the names. */
function named(branch: string): string {
  return oneLine(branch, 200);
}

function filesText(files: readonly string[]): string {
  const more = files.length - filesShown;
  const shown = files.slice(0, filesShown).map((file) => oneLine(file, 200));
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
