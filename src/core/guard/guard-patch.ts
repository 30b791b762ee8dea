/**
 * The policy on what a step left. Its input is what `parsePatch` understood, its answer is data: what goes in,
 * what is left out and named, what stops everything. The same on a laptop and where a patch arrives from another
 * machine.
 */
import { findSecrets, namedSecret } from './find-secrets.ts';
import { foldPath } from './fold-path.ts';
import type { Matcher } from './match-glob.ts';
import { compileGlobs } from './match-glob.ts';
import type { FileChange, PatchLimits } from './patch.ts';
import { patchLimits } from './patch.ts';
import type { GuardAction, ProtectedPaths, ProtectedRule } from './protected-paths.ts';
import { protectedPaths } from './protected-paths.ts';
import { whyUnportablePath, whyUnsafePath } from './unsafe-path.ts';

export type GuardRule =
  | ProtectedRule
  | 'unsafe-path'
  | 'duplicate'
  | 'unportable-name'
  | 'submodule'
  | 'symlink'
  | 'mode'
  | 'git-modules'
  | 'outside-allowance'
  | 'secret'
  | 'oversized'
  | 'binary';

export interface Objection {
  readonly path: string;
  readonly rule: GuardRule;
  readonly action: GuardAction;
  readonly why: string;
}

export interface GuardPolicy {
  /** What the task may touch; null: everything that is not protected. */
  readonly allow: readonly string[] | null;
  readonly protectedPaths: readonly ProtectedPaths[];
  /** Protected paths that this step may touch after all, because a person said so. */
  readonly permit: readonly string[];
  /** Actions other than the rule's own. `unsafe-path`, `duplicate`, `mode`, `submodule` cannot be softened. */
  readonly actions: Readonly<Partial<Record<GuardRule, GuardAction | 'accept'>>>;
  readonly limits: PatchLimits;
}

export const guardPolicy: GuardPolicy = {
  allow: null,
  protectedPaths,
  permit: [],
  actions: {},
  limits: patchLimits,
};

/** What was measured in the binary parts of a patch: the true size of the new file, and what can be read in it. */
export interface MeasuredBinary {
  readonly bytes: number;
  readonly text: string;
}

export type GuardResult =
  | {
      readonly kind: 'accepted';
      readonly changes: readonly FileChange[];
      readonly dropped: readonly Objection[];
    }
  | { readonly kind: 'ask'; readonly reasons: readonly Objection[]; readonly dropped: readonly Objection[] }
  | { readonly kind: 'refused'; readonly reasons: readonly Objection[] };

const defaultActions: Readonly<Record<Exclude<GuardRule, ProtectedRule>, GuardAction>> = {
  'unsafe-path': 'refuse',
  duplicate: 'refuse',
  mode: 'refuse',
  submodule: 'refuse',
  symlink: 'refuse',
  'git-modules': 'refuse',
  secret: 'refuse',
  'unportable-name': 'refuse',
  'outside-allowance': 'drop',
  oversized: 'drop',
  binary: 'ask',
};

const hard: ReadonlySet<GuardRule> = new Set<GuardRule>(['unsafe-path', 'duplicate', 'mode', 'submodule']);

export function guardPatch(
  changes: readonly FileChange[],
  policy: GuardPolicy = guardPolicy,
  measured: ReadonlyMap<string, MeasuredBinary> = new Map(),
): GuardResult {
  const objections: Objection[] = [];
  const object = (path: string, rule: GuardRule, why: string, usual: GuardAction) => {
    const action = hard.has(rule) ? 'refuse' : (policy.actions[rule] ?? usual);
    if (action !== 'accept') objections.push({ path, rule, action, why });
  };
  const isAllowed = compileGlobs(policy.allow ?? ['**']);
  const protect = protection(policy);
  for (const change of changes) {
    const { path } = change;
    const problems = [
      ...shapeProblems(change),
      ...contentProblems(change, policy.limits, measured.get(path)),
    ];
    if (!isAllowed(path)) problems.push(['outside-allowance', 'the task may not touch it']);
    for (const [rule, why] of problems) object(path, rule, why, defaultActions[rule]);
    const [named] = findSecrets(path);
    // Its name is not repeated.
    if (named) object('the name of a file', 'secret', `looks like ${namedSecret(named)}`, 'refuse');
    const kept = protect(path);
    if (kept) object(path, kept.rule, kept.why, kept.action);
  }
  for (const path of duplicates(changes))
    object(path, 'duplicate', 'changed twice, or in two spellings', 'refuse');
  return resultOf(changes, objections);
}

function resultOf(changes: readonly FileChange[], objections: readonly Objection[]): GuardResult {
  const dropped = objections.filter(({ action }) => action === 'drop');
  const droppedPaths = new Set(dropped.map(({ path }) => path));
  // What is left out needs no further answer, unless the patch itself is dishonest.
  const rest = objections.filter(
    ({ action, path, rule }) => action !== 'drop' && (hard.has(rule) || !droppedPaths.has(path)),
  );
  const refused = rest.filter(({ action }) => action === 'refuse');
  if (refused.length > 0) return { kind: 'refused', reasons: refused };
  if (rest.length > 0) return { kind: 'ask', reasons: rest, dropped };
  return { kind: 'accepted', changes: changes.filter(({ path }) => !droppedPaths.has(path)), dropped };
}

type Problem = readonly [rule: Exclude<GuardRule, ProtectedRule>, why: string];

function shapeProblems(change: FileChange): Problem[] {
  const found: Problem[] = [];
  const unsafe = whyUnsafePath(change.path);
  if (unsafe) found.push(['unsafe-path', unsafe]);
  const unportable = change.kind === 'add' ? whyUnportablePath(change.path) : null;
  if (unportable) found.push(['unportable-name', unportable]);
  for (const mode of new Set([change.oldMode, change.newMode])) {
    if (mode === null || mode === '100644' || mode === '100755') continue;
    if (mode === '160000') found.push(['submodule', 'a submodule points to code that nobody here has read']);
    else if (mode === '120000') found.push(['symlink', 'a symbolic link can point anywhere']);
    else found.push(['mode', `the file mode ${mode} is not one of 100644 and 100755`]);
  }
  if (/(^|\/)\.gitmodules$/.test(foldPath(change.path)))
    found.push(['git-modules', 'it makes git fetch other code']);
  return found;
}

function contentProblems(
  change: FileChange,
  limits: PatchLimits,
  measured: MeasuredBinary | undefined,
): Problem[] {
  const found: Problem[] = [];
  const addedBytes = change.addedLines.reduce((sum, { text }) => sum + text.length + 1, 0);
  const bytes = Math.max(addedBytes, measured?.bytes ?? change.binary?.forward.declaredBytes ?? 0);
  if (change.kind !== 'delete' && bytes > limits.fileBytesMax) {
    found.push(['oversized', `${bytes} bytes; the limit is ${limits.fileBytesMax}`]);
  }
  if (change.binary && change.kind !== 'delete') found.push(['binary', 'a binary file cannot be reviewed']);
  const [secret] = findSecrets(change.addedLines.map(({ text }) => text).join('\n'));
  if (secret)
    found.push([
      'secret',
      `line ${change.addedLines[secret.line - 1]?.line}: looks like ${namedSecret(secret)}`,
    ]);
  const [inside] = measured ? findSecrets(measured.text) : [];
  if (inside) found.push(['secret', `looks like ${namedSecret(inside)} inside a binary file`]);
  return found;
}

function protection(policy: GuardPolicy): (path: string) => ProtectedPaths | undefined {
  const isPermitted = compileGlobs(policy.permit);
  const compiled = policy.protectedPaths.map((entry): [ProtectedPaths, Matcher] => [
    entry,
    compileGlobs(entry.globs.map(foldPath)),
  ]);
  return (path) => {
    if (isPermitted(path)) return undefined;
    const folded = foldPath(path);
    return compiled.find(([, isMatch]) => isMatch(folded))?.[0];
  };
}

/** A name that only changes its case is a delete and an add, and no duplicate. */
function duplicates(changes: readonly FileChange[]): string[] {
  const paths = new Set<string>();
  const folded = new Set<string>();
  const found: string[] = [];
  for (const { path, kind } of changes) {
    const meets = kind !== 'delete' && folded.has(foldPath(path));
    if (paths.has(path) || meets) found.push(path);
    paths.add(path);
    if (kind !== 'delete') folded.add(foldPath(path));
  }
  return found;
}
