/**
 * What an agent left goes to where others can read it: the next job's artifact, a branch, a pull request. Before it
 * leaves the agent's machine, secrets that this machine knows or recognises are taken out of its texts, and a file
 * that holds one is left out of the patch, which is then refused with the reason.
 */
import { redactSpool } from '../agents/redact-spool.ts';
import { findSecrets, namedSecret } from '../core/guard/find-secrets.ts';
import { guardPolicy } from '../core/guard/guard-patch.ts';
import { parsePatch } from '../core/guard/parse-patch.ts';
import { type FileChange, keepChanges } from '../core/guard/patch.ts';
import { redact, spellings } from '../system/redact.ts';
import { measureBinaries } from '../workspace/patch/measure-binaries.ts';
import { type Left, leftMax } from './left.ts';

const namedMax = 20;

export function withholdSecrets(left: Left, secrets: readonly string[]): Left {
  const clean = (text: string, max: number) => redact(text, secrets).slice(0, max);
  const withheld = left.patch === null ? null : withoutFiles(left.patch, secrets);
  const { too_large, broken } = left;
  return {
    ...left,
    runs: left.runs.map((run) => ({
      ...run,
      text: clean(run.text, leftMax.text),
      error: run.error === undefined ? undefined : clean(run.error, leftMax.error),
    })),
    subjects: left.subjects.map((subject) => clean(subject, leftMax.subject)),
    discarded: left.discarded.map((path) => clean(path, leftMax.path)),
    skipped: left.skipped.map((one) => ({ ...one, path: clean(one.path, leftMax.path) })),
    spool: redactSpool(left.spool, secrets),
    ...(too_large === undefined ? {} : { too_large: clean(too_large, leftMax.why) }),
    ...(broken === undefined ? {} : { broken: clean(broken, leftMax.why) }),
    ...(withheld === null ? {} : withheld),
  };
}

interface Withheld {
  /** What is left of it. */
  readonly patch: Buffer | null;
  /** Where and of which kind, never the value. */
  readonly too_large: string;
}

function withoutFiles(bytes: Buffer, secrets: readonly string[]): Withheld | null {
  const patch = bytes.toString('latin1');
  const known = spellings(secrets);
  const { limits } = guardPolicy;
  const parsed = parsePatch(patch, limits);
  // What cannot be read is refused by whoever gets it; until then it is a text.
  if (parsed.kind === 'unreadable') {
    return kindIn(patch, known) === null ? null : { patch: null, too_large: 'the patch holds a secret' };
  }
  const measured = measureBinaries(patch, parsed.changes, limits);
  const inside = measured.kind === 'measured' ? measured.files : new Map<string, { readonly text: string }>();
  const found = new Map<FileChange, string>();
  for (const change of parsed.changes) {
    const why = whyOf(change, inside.get(change.path)?.text ?? '', known);
    if (why !== null) found.set(change, why);
  }
  if (found.size === 0) return null;
  const rest = parsed.changes.filter((change) => !found.has(change));
  const kept = rest.length > 0 ? Buffer.from(keepChanges(patch, rest), 'latin1') : null;
  return { patch: kept, too_large: [...found.values()].slice(0, namedMax).join('\n').slice(0, leftMax.why) };
}

function whyOf(change: FileChange, binary: string, known: readonly string[]): string | null {
  const inName = kindIn(Buffer.from(change.path).toString('latin1'), known);
  if (inName !== null) return `the name of a file holds ${inName}`;
  const inBinary = kindIn(binary, known);
  if (inBinary !== null) return `${change.path}: holds ${inBinary} inside a binary file`;
  // All at once first: most files hold none, and some values have several lines.
  const all = change.addedLines.map(({ text }) => text).join('\n');
  if (kindIn(all, known) === null) return null;
  const line = change.addedLines.find(({ text }) => kindIn(text, known) !== null);
  const kind = kindIn(line?.text ?? all, known);
  return `${change.path}: line ${line?.line ?? change.addedLines[0]?.line} holds ${kind}`;
}

function kindIn(text: string, known: readonly string[]): string | null {
  if (text === '') return null;
  if (known.some((value) => text.includes(value))) return 'the value of a secret that this machine has';
  const [found] = findSecrets(text);
  return found ? `what looks like ${namedSecret(found)}` : null;
}
