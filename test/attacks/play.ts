/** Plays an attack against the pure parts of gza, as its own code would meet it. */
import { createHash } from 'node:crypto';
import {
  type GuardPolicy,
  guardPatch,
  guardPolicy,
  type Objection,
} from '../../src/core/guard/guard-patch.ts';
import { isManifest, judgeManifest } from '../../src/core/guard/judge-manifest.ts';
import { parsePatch } from '../../src/core/guard/parse-patch.ts';
import { compileGlobs } from '../../src/core/guard/paths.ts';

export interface AttackFile {
  readonly path: string;
  readonly mode?: string;
  /** What it was changed from, where the mode changed too. */
  readonly oldMode?: string;
  readonly before?: string | null;
  readonly after: string | null;
  /** A binary patch says no more than this of its content. */
  readonly binary?: string;
}

export const strictness = ['plain', 'named', 'waits', 'refused'] as const;
export type Verdict = (typeof strictness)[number];

export interface Judged {
  readonly verdict: Verdict;
  readonly objections: readonly Objection[];
}

/** The defence taken away: everything may pass that a policy can let pass. */
export const letEverythingPass: GuardPolicy = {
  ...guardPolicy,
  rows: [],
  permit: ['**'],
  actions: {
    symlink: 'accept',
    'git-modules': 'accept',
    secret: 'accept',
    'unportable-name': 'accept',
    oversized: 'accept',
    large: 'accept',
    checks: 'accept',
  },
};

/** What becomes of the files, by the code that a step's patch goes through. */
export function judgeFiles(files: readonly AttackFile[], policy: GuardPolicy = guardPolicy): Judged {
  const parsed = parsePatch(Buffer.from(files.map(patchOf).join('')).toString('latin1'), policy.limits);
  if (parsed.kind === 'unreadable') return { verdict: 'refused', objections: [] };
  const measured = new Map(
    files.flatMap(({ path, binary }) =>
      binary === undefined ? [] : [[path, { bytes: binary.length, text: binary }] as const],
    ),
  );
  const judged = guardPatch(parsed.changes, policy, measured);
  if (judged.kind === 'refused') return { verdict: 'refused', objections: judged.reasons };
  const isPermitted = compileGlobs(policy.permit);
  const inside = files
    .filter(({ path }) => isManifest(path) && !isPermitted(path))
    .flatMap(({ path, before = null, after }) => judgeManifest({ path, before, after }));
  const objections = [...judged.waits, ...judged.named, ...inside];
  const waits = objections.some(({ action }) => action === 'wait');
  return { verdict: waits ? 'waits' : objections.length > 0 ? 'named' : 'plain', objections };
}

const none = '0'.repeat(40);
const idOf = (text: string) => createHash('sha1').update(`${text}\0`).digest('hex');

/** As git writes it, each file whole. */
function patchOf({
  path,
  mode = '100644',
  oldMode = mode,
  before = null,
  after,
  binary,
}: AttackFile): string {
  const [a, b] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  const ids = `${before === null ? none : idOf(before)}..${after === null ? none : idOf(after)}`;
  const kind =
    before === null
      ? `new file mode ${mode}\nindex ${ids}\n`
      : after === null
        ? `deleted file mode ${mode}\nindex ${ids}\n`
        : mode === oldMode
          ? `index ${ids} ${mode}\n`
          : `old mode ${oldMode}\nnew mode ${mode}\n${before === after ? '' : `index ${ids}\n`}`;
  const head = `diff --git ${a} ${b}\n${kind}`;
  if (binary !== undefined) return `${head}GIT binary patch\nliteral ${binary.length}\nzcmZ\n\n`;
  if (before === after) return head;
  const lines = (text: string | null, mark: string) =>
    text === null || text === ''
      ? ''
      : text.replace(/\n$/, '').replace(/^/gm, mark) +
        (text.endsWith('\n') ? '\n' : '\n\\ No newline at end of file\n');
  const names = `--- ${before === null ? '/dev/null' : a}\n+++ ${after === null ? '/dev/null' : b}\n`;
  const body = `${lines(before, '-')}${lines(after, '+')}`;
  return body === '' ? head : `${head}${names}@@ -1 +1 @@\n${body}`;
}

function quoted(path: string): string {
  const bytes = Buffer.from(path).toString('latin1');
  // oxlint-disable-next-line no-control-regex
  if (!/[\x00-\x1f"\\\x7f-\xff]/.test(bytes)) return bytes;
  const escaped = bytes.replace(
    // oxlint-disable-next-line no-control-regex
    /[\x00-\x1f"\\\x7f-\xff]/g,
    (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`,
  );
  return `"${escaped}"`;
}
