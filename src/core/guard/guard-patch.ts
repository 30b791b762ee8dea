/**
 * Judges the patch that a step left. It takes what `parsePatch` read, and returns data: which changes go in,
 * which of them a person must let pass, which are left out, and what refuses the whole patch. The rules are
 * the same for a local run and for a patch from another machine.
 */
import { foldLookAlikes, hiddenCharacter, mixesAlphabets } from '../markdown/neutralise.ts';
import { type FileKind, type FileRow, fileKinds, fileRows, type GuardAction } from './file-classes.ts';
import { decodeUtf8, type FileChange, type PatchLimits, patchLimits } from './parse-patch.ts';
import {
  compileGlobs,
  foldPath,
  type Matcher,
  whyOddPath,
  whyUnportablePath,
  whyUnsafePath,
} from './paths.ts';
import { findSecrets, namedSecret } from './secrets.ts';

export type GuardRule =
  | FileKind
  | 'unsafe-path'
  | 'duplicate'
  | 'unportable-name'
  | 'odd-name'
  | 'submodule'
  | 'symlink'
  | 'mode'
  | 'executable'
  | 'git-modules'
  | 'outside-allowance'
  | 'secret'
  | 'oversized'
  | 'large'
  | 'hidden-text'
  | 'lifecycle'
  | 'binary'
  | 'media';

export interface Objection {
  readonly path: string;
  readonly rule: GuardRule;
  readonly action: Exclude<GuardAction, 'pass'>;
  readonly why: string;
}

export interface GuardPolicy {
  /** What the task may touch; null: everything that is not protected. */
  readonly allow: readonly string[] | null;
  readonly rows: readonly FileRow[];
  /** Paths that a person let pass, whatever their class is. */
  readonly permit: readonly string[];
  /** Files that this task's checks run, besides those known to be checks in every project. */
  readonly checked: readonly string[];
  /**
   * Overrides the default action of a rule. `unsafe-path`, `duplicate`, `mode` and `submodule` stay refused.
   */
  readonly actions: Readonly<Partial<Record<GuardRule, GuardAction | 'accept'>>>;
  readonly limits: PatchLimits;
}

export const guardPolicy: GuardPolicy = {
  allow: null,
  rows: fileRows,
  permit: [],
  checked: [],
  actions: {},
  limits: patchLimits,
};

/** Measured in the binary parts of a patch: the true size of the new file, and its readable text. */
export interface MeasuredBinary {
  readonly bytes: number;
  readonly text: string;
}

export type GuardResult =
  | {
      readonly kind: 'accepted';
      readonly changes: readonly FileChange[];
      readonly dropped: readonly Objection[];
      /** These are in `changes` too, but a person must let them pass. */
      readonly waits: readonly Objection[];
      readonly named: readonly Objection[];
    }
  | { readonly kind: 'refused'; readonly reasons: readonly Objection[] };

type ShapeRule = Exclude<GuardRule, FileKind> | 'checks';

const defaultActions: Readonly<Record<ShapeRule, Exclude<GuardAction, 'pass'>>> = {
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
  'odd-name': 'wait',
  binary: 'wait',
  large: 'wait',
  lifecycle: 'wait',
  media: 'name',
  executable: 'name',
  'hidden-text': 'name',
  checks: 'name',
};

const hard: ReadonlySet<GuardRule> = new Set<GuardRule>(['unsafe-path', 'duplicate', 'mode', 'submodule']);

/** Objections with these actions are dropped for paths under `permit`. */
const soft: ReadonlySet<GuardAction> = new Set<GuardAction>(['wait', 'name']);

/** Nobody reads more files than this one by one. */
const manyFiles = 500;

export function guardPatch(
  changes: readonly FileChange[],
  policy: GuardPolicy = guardPolicy,
  measured: ReadonlyMap<string, MeasuredBinary> = new Map(),
): GuardResult {
  const objections: Objection[] = [];
  const object = (path: string, rule: GuardRule, why: string, usual: Objection['action']) => {
    const action = hard.has(rule) ? 'refuse' : (policy.actions[rule] ?? usual);
    if (action !== 'accept' && action !== 'pass') objections.push({ path, rule, action, why });
  };
  const isAllowed = compileGlobs(policy.allow ?? ['**']);
  const isPermitted = compileGlobs(policy.permit);
  const isChecked = new Set(policy.checked);
  const classOf = classes(policy.rows);
  for (const change of changes) {
    const { path } = change;
    const permitted = isPermitted(path);
    const problems = [
      ...shapeProblems(change),
      ...contentProblems(change, policy.limits, measured.get(path)),
    ];
    if (!isAllowed(path)) problems.push(['outside-allowance', 'the task may not touch it']);
    for (const [rule, why] of problems) {
      const usual = defaultActions[rule];
      if (!permitted || !soft.has(usual)) object(path, rule, why, usual);
    }
    const [named] = findSecrets(path);
    // The objection must not repeat the secret, so it does not show the path.
    if (named) object('the name of a file', 'secret', `looks like ${namedSecret(named)}`, 'refuse');
    // An unsafe path is refused anyway, and may be too long to match.
    const row = permitted || problems.some(([rule]) => rule === 'unsafe-path') ? undefined : classOf(path);
    if (row && row.action !== 'pass') object(path, row.kind, fileKinds[row.kind], row.action);
    if (isChecked.has(path) && row?.kind !== 'checks') object(path, 'checks', fileKinds.checks, 'name');
    else if (change.kind === 'delete' && isTest(path)) object(path, 'checks', 'a test was deleted', 'name');
  }
  for (const path of duplicates(changes))
    object(path, 'duplicate', 'changed twice, or in two spellings', 'refuse');
  if (changes.length > manyFiles)
    object('.', 'large', `${changes.length} files changed: too many to read one by one`, 'wait');
  return resultOf(changes, objections);
}

function resultOf(changes: readonly FileChange[], objections: readonly Objection[]): GuardResult {
  const dropped = objections.filter(({ action }) => action === 'drop');
  const droppedPaths = new Set(dropped.map(({ path }) => path));
  // A dropped file needs no other objection, unless a hard rule shows that the patch was tampered with.
  const rest = objections.filter(
    ({ action, path, rule }) => action !== 'drop' && (hard.has(rule) || !droppedPaths.has(path)),
  );
  const reasons = rest.filter(({ action }) => action === 'refuse');
  if (reasons.length > 0) return { kind: 'refused', reasons };
  return {
    kind: 'accepted',
    changes: changes.filter(({ path }) => !droppedPaths.has(path)),
    dropped,
    waits: rest.filter(({ action }) => action === 'wait'),
    named: rest.filter(({ action }) => action === 'name'),
  };
}

type Problem = readonly [rule: ShapeRule, why: string];

function shapeProblems(change: FileChange): Problem[] {
  const found: Problem[] = [];
  const unsafe = whyUnsafePath(change.path);
  if (unsafe) found.push(['unsafe-path', unsafe]);
  const isNew = change.kind === 'add';
  const unportable = isNew && !unsafe ? whyUnportablePath(change.path) : null;
  if (unportable) found.push(['unportable-name', unportable]);
  const odd = isNew ? whyOddPath(change.path) : null;
  if (odd) found.push(['odd-name', odd]);
  for (const mode of new Set([change.oldMode, change.newMode])) {
    if (mode === null || mode === '100644' || mode === '100755') continue;
    if (mode === '160000') found.push(['submodule', 'a submodule points to code that nobody here has read']);
    else if (mode === '120000') found.push(['symlink', 'a symbolic link can point anywhere']);
    else found.push(['mode', `the file mode ${mode} is not one of 100644 and 100755`]);
  }
  if (change.newMode === '100755' && change.oldMode !== '100755')
    found.push(['executable', 'it can be run as a program now']);
  if (/(^|\/)\.gitmodules$/.test(foldPath(change.path)))
    found.push(['git-modules', 'it makes git fetch other code']);
  return found;
}

/** Nobody writes more text than this in one file by hand. */
const largeBytes = 1 << 20;

/**
 * Pictures, sounds and fonts, recognised by their first bytes. They are harmless, because nothing runs them.
 */
const media =
  // oxlint-disable-next-line no-control-regex
  /^(?:\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|RIFF[^]{4}(?:WEBP|WAVE)|wOF[F2]|\x00\x01\x00\x00\x00|OTTO|ID3|[^]{4}ftyp|\x00\x00\x01\x00|OggS|\x1aE\xdf\xa3)/;
const mediaName = /\.(?:png|jpe?g|gif|webp|avif|ico|woff2?|ttf|otf|mp3|mp4|m4a|webm|ogg|wav)$/i;

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
  } else if (addedBytes > largeBytes) found.push(['large', `${addedBytes} bytes of text were added`]);
  if (change.binary && change.kind !== 'delete') {
    const isMedia =
      mediaName.test(change.path) && media.test(measured?.text ?? '') && change.newMode === '100644';
    found.push(
      isMedia ? ['media', 'a picture, sound or font'] : ['binary', 'a binary file cannot be reviewed'],
    );
  }
  const [secret] = findSecrets(change.addedLines.map(({ text }) => text).join('\n'));
  if (secret)
    found.push([
      'secret',
      `line ${change.addedLines[secret.line - 1]?.line}: looks like ${namedSecret(secret)}`,
    ]);
  const [inside] = measured ? findSecrets(measured.text) : [];
  if (inside) found.push(['secret', `looks like ${namedSecret(inside)} inside a binary file`]);
  const hidden = hiddenText(change);
  if (hidden) found.push(['hidden-text', hidden]);
  return found;
}

/** The first added line that looks different to people than to programs. */
function hiddenText({ addedLines }: FileChange): string | null {
  for (const { line, text } of addedLines) {
    // oxlint-disable-next-line no-control-regex
    if (/^[\t\r\x20-\x7e]*$/.test(text)) continue;
    const read = decodeUtf8(text)?.replace(/[\t\r]/g, ' ');
    if (read === undefined) continue;
    if (hiddenCharacter(read)) return `line ${line}: a character that is not seen, or turns the text around`;
    if (mixesAlphabets(read)) return `line ${line}: letters of another alphabet that look like Latin ones`;
  }
  return null;
}

function isTest(path: string): boolean {
  return /(^|\/)(tests?|__tests__|spec)\/|[._-](test|spec)\.\w+$|(^|\/)test_[^/]*$/i.test(path);
}

/** Finds the row of a path. Ignores its spelling, and the dots and spaces that Windows drops after a name. */
function classes(rows: readonly FileRow[]): (path: string) => FileRow | undefined {
  const compiled = rows.map((one): [FileRow, Matcher] => [one, compileGlobs(one.globs.map(foldPath))]);
  return (path) => {
    const folded = foldPath(foldLookAlikes(path)).replace(/[. ]+(?=\/|$)/g, '');
    return compiled.find(([, isMatch]) => isMatch(folded))?.[0];
  };
}

/** A rename that only changes case is a delete and an add, so deleted paths do not count as duplicates. */
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
