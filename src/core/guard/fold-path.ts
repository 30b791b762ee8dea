/** What a path becomes on a machine that ignores case and the form of accents: two that meet there are one file. */
export function foldPath(path: string): string {
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(path)) return path.toLowerCase();
  return path.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC');
}

export interface Collision {
  readonly path: string;
  readonly with: string;
}

/**
 * Files or folders of `changed` that meet another spelling among `all` (the paths of the final tree, `changed`
 * included) on such a machine. Collisions that were there before are nobody's fault.
 */
export function findCollisions(changed: readonly string[], all: Iterable<string>): Collision[] {
  const changedPaths = new Set(changed);
  const spellings = new Map<string, string>();
  for (const path of all) if (!changedPaths.has(path)) addSpellings(spellings, path);
  const found: Collision[] = [];
  for (const path of changedPaths) {
    const other = otherSpelling(spellings, path);
    if (other !== null) found.push({ path, with: other });
    addSpellings(spellings, path);
  }
  return found;
}

function addSpellings(spellings: Map<string, string>, path: string): void {
  let at = path.length;
  // Longest first: where a folder is known, so are those above it.
  while (at > 0) {
    const prefix = path.slice(0, at);
    const folded = foldPath(prefix);
    if (spellings.has(folded)) return;
    spellings.set(folded, prefix);
    at = path.lastIndexOf('/', at - 1);
  }
}

function otherSpelling(spellings: ReadonlyMap<string, string>, path: string): string | null {
  for (let at = path.length; at > 0; at = path.lastIndexOf('/', at - 1)) {
    const prefix = path.slice(0, at);
    const other = spellings.get(foldPath(prefix));
    if (other !== undefined && other !== prefix) return other;
  }
  return null;
}
