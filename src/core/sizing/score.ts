/**
 * How hard a task is, from 0 to 13, with the working: which files, layers and words gave which points.
 *
 * file_scope: 0.5 a file to create or modify. cross_file_deps: 1 for each layer beyond the first of data, business
 * and presentation; 0.5 for each directory beyond one a layer, at most 1. semantic_complexity: the concepts of
 * score-words.ts. requirement_uncertainty: its vague phrases; 0.5 without acceptance criteria; 0.5 without files.
 * token_penalty: the share by which the estimated input is over budget. Test files do not score.
 */
import { declaredFiles, normalisePaths } from '../task/declared-files.ts';
import type { Task } from '../task/task.ts';
import { type Layer, type LayerRule, layerOf, stackedLayers } from './layers.ts';
import { concepts, vagueGroups, vaguePoints } from './score-words.ts';
import { type SizeLimits, sizeLimitsBuiltIn } from './soft-limits.ts';

export const scoreComponents = [
  'file_scope',
  'cross_file_deps',
  'semantic_complexity',
  'requirement_uncertainty',
  'token_penalty',
] as const;
export type ScoreComponent = (typeof scoreComponents)[number];

export const pointsMax: Readonly<Record<ScoreComponent, number>> = {
  file_scope: 5,
  cross_file_deps: 2,
  semantic_complexity: 3,
  requirement_uncertainty: 2,
  token_penalty: 1,
};

export type ScoreLevel = 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';

/** What gave points: a file, a layer, a word. Points are before the component's maximum. */
export interface Reason {
  readonly what: string;
  readonly points: number;
}

export interface Score {
  readonly total: number;
  readonly level: ScoreLevel;
  readonly points: Readonly<Record<ScoreComponent, number>>;
  readonly reasons: Readonly<Record<ScoreComponent, readonly Reason[]>>;
  /** The component with the largest share of its maximum; the first of equals. */
  readonly dominant: ScoreComponent;
  /** Estimated input of an agent. */
  readonly tokens: number;
  readonly minutes: number;
}

export interface ScoreInput {
  /** Bytes of the files that exist, by normalised path. */
  readonly sizes?: ReadonlyMap<string, number>;
  readonly limits?: SizeLimits;
  /** The repository's own, looked at first. */
  readonly layerRules?: readonly LayerRule[];
}

export function scoreTask(task: Task, input: ScoreInput = {}): Score {
  const files = declaredFiles(task);
  const words = proseWords(textOf(task));
  const tokens = estimateTokens(task, input.sizes);
  const reasons = {
    file_scope: files.map((what) => ({ what, points: 0.5 })),
    cross_file_deps: crossFileReasons(files, input.layerRules),
    semantic_complexity: semanticReasons(words),
    requirement_uncertainty: uncertaintyReasons(task, files, words),
    token_penalty: tokenReasons(tokens, input.limits ?? sizeLimitsBuiltIn),
  };
  const points = mapComponents((name) => capped(reasons[name], pointsMax[name]));
  const total = tenths(scoreComponents.reduce((sum, name) => sum + points[name], 0));
  const share = (name: ScoreComponent) => points[name] / pointsMax[name];
  const dominant = scoreComponents.reduce((a, b) => (share(b) > share(a) ? b : a));
  return { total, level: levelOf(total), points, reasons, dominant, tokens, minutes: tenths(1 + total / 2) };
}

export function levelOf(total: number): ScoreLevel {
  if (total < 5) return 'LOW';
  if (total < 8) return 'MEDIUM';
  return total < 11 ? 'HIGH' : 'CRITICAL';
}

export const levelActions: Readonly<Record<ScoreLevel, string>> = {
  LOW: 'safe for autonomous execution',
  MEDIUM: 'requires monitoring',
  HIGH: 'consider decomposition',
  CRITICAL: 'must be decomposed',
};

/** Not started without a split or a person's word. */
export function isTooComplex(score: Score): boolean {
  return score.level === 'CRITICAL';
}

/** The text that is judged: what is asked, not the settings. */
function textOf(task: Task): string {
  return [task.title, task.content, task.user_story ?? '', ...(task.acceptance_criteria ?? [])].join('\n');
}

function crossFileReasons(files: readonly string[], own: readonly LayerRule[] | undefined): Reason[] {
  const layerOfFile = files.map((file) => layerOf(file, own));
  const found = stackedLayers.filter((layer) => layerOfFile.includes(layer));
  const counted = files.filter((_, at) => layerOfFile[at] !== 'tests');
  const directories = [...new Set(counted.map(directoryOf))];
  const extra = directories.length - Math.max(1, found.length);
  const reasons = found.slice(1).map((layer) => ({ what: layerReason(found[0]!, layer), points: 1 }));
  if (extra > 0)
    reasons.push({ what: `${directories.length} directories`, points: Math.min(1, extra * 0.5) });
  return reasons;
}

function layerReason(first: Layer, layer: Layer): string {
  return `${layer} layer besides the ${first} layer`;
}

function directoryOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

function semanticReasons(words: string): Reason[] {
  return concepts.flatMap(({ name, points, words: pattern }) => {
    const found = pattern.exec(words)?.[1];
    return found === undefined ? [] : [{ what: `${name} ("${found}")`, points }];
  });
}

function uncertaintyReasons(task: Task, files: readonly string[], words: string): Reason[] {
  const vague = vagueGroups.flatMap((group) => {
    const found = group.exec(words)?.[1];
    return found === undefined ? [] : [{ what: `"${found}"`, points: vaguePoints }];
  });
  const criteria = (task.acceptance_criteria?.length ?? 0) > 0;
  return [
    ...vague,
    ...(criteria ? [] : [{ what: 'no acceptance criteria', points: 0.5 }]),
    ...(files.length > 0 ? [] : [{ what: 'no files named', points: 0.5 }]),
  ];
}

const bytesPerToken = 4;
/** For a file to modify whose size is not known. */
const tokensOfUnknownFile = 500;

/** Text and files to read, four bytes a token. A file to create costs nothing to read unless it is there. */
function estimateTokens(task: Task, sizes: ReadonlyMap<string, number> = new Map()): number {
  const created = new Set(normalisePaths(task.files_to_create));
  const ofFile = (file: string) => {
    const size = sizes.get(file);
    if (size !== undefined) return size / bytesPerToken;
    return created.has(file) ? 0 : tokensOfUnknownFile;
  };
  const read = declaredFiles(task).reduce((sum, file) => sum + ofFile(file), 0);
  return Math.ceil(textOf(task).length / bytesPerToken + read);
}

function tokenReasons(tokens: number, { max_input_tokens: budget }: SizeLimits): Reason[] {
  if (tokens <= budget) return [];
  const points = Math.min(1, Math.ceil(((tokens - budget) / budget) * 10) / 10);
  return [{ what: `about ${tokens} tokens, over the budget of ${budget}`, points }];
}

function capped(reasons: readonly Reason[], max: number): number {
  return Math.min(max, tenths(reasons.reduce((sum, { points }) => sum + points, 0)));
}

function mapComponents<T>(of: (name: ScoreComponent) => T): Record<ScoreComponent, T> {
  return Object.fromEntries(scoreComponents.map((name) => [name, of(name)])) as Record<ScoreComponent, T>;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Longer texts are read so far; a task that long is over its token budget anyway. */
const proseCharactersMax = 50_000;

/**
 * Prose as words with one space between and around. Code, and quoted lines, which are context and not what is
 * asked, are left out.
 */
function proseWords(text: string): string {
  const prose = text
    .slice(0, proseCharactersMax)
    .replace(/```[\s\S]*?```/g, ' ')
    .replace(/^[ \t]*>.*$/gm, ' ')
    .replace(/`[^`\n]*`/g, ' ');
  return ` ${
    prose
      .toLowerCase()
      .match(/[\p{L}\p{N}+]+/gu)
      ?.join(' ') ?? ''
  } `;
}
