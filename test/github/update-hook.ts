/** GitHub's refusals of a push, as a hook of the bare repository. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const zero = '0'.repeat(40);

/**
 * Runs once for each ref, its objects already there. The words go to a file: GitHub names its reason in the
 * report itself, where git would only say "hook declined".
 */
const updateHook = `#!/bin/sh
[ -n "$FAKE_REASONS" ] || exit 0
refuse() { printf '%s\\t%s\\n' "$ref" "$1" >> "$FAKE_REASONS"; exit 1; }
ref=$1 old=$2 new=$3
for name in $FAKE_PROTECTED; do
  [ "$ref" = "refs/heads/$name" ] || continue
  echo "error: GH006: Protected branch update failed for $ref." >&2
  echo "" >&2
  echo "- Changes must be made through a pull request." >&2
  refuse "protected branch hook declined"
done
for pattern in $FAKE_RULES; do
  case "$ref" in $pattern)
    echo "error: GH013: Repository rule violations found for $ref." >&2
    refuse "push declined due to repository rule violations";;
  esac
done
if [ "$FAKE_WORKFLOWS" != yes ] && [ "$new" != ${zero} ]; then
  # Compared with what the repository has already: only what this push brings counts.
  file=$(git log --format= --name-only --diff-filter=ACMR "$new" --not --branches --tags -- .github/workflows | head -n 1)
  [ -z "$file" ] || refuse "refusing to allow a GitHub App to create or update workflow \\\`$file\\\` without \\\`workflows\\\` permission"
fi
exit 0
`;

export function installHooks(gitDir: string): void {
  mkdirSync(join(gitDir, 'hooks'), { recursive: true });
  writeFileSync(join(gitDir, 'hooks', 'update'), updateHook, { mode: 0o755 });
}
