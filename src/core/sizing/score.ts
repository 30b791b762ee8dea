/**
 * Scores how hard a task is, from 0 to 13, with the reasons: which files, layers and words gave which points.
 *
 * 1. file_scope: 0.5 for each file to create or modify.
 * 2. cross_file_deps: 1 for each layer beyond the first of data, business and presentation; 0.5 for each
 *    directory beyond one per layer, at most 1.
 * 3. semantic_complexity: the concepts below.
 * 4. requirement_uncertainty: the vague phrases below; 0.5 without acceptance criteria; 0.5 without files.
 * 5. token_penalty: the share by which the estimated input is over budget.
 *
 * Test files do not score.
 */

import type { Config } from '../config/config.ts';
import type { TaskRecord } from '../ledger/record/record.ts';
import { declaredFiles, normalisePaths, type Task } from '../task/task.ts';
import { type Layer, type LayerRule, layerOf, layerRulesOf, stackedLayers } from './layers.ts';

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

/** A file, layer or word that gave points. The points are not yet limited by the component's maximum. */
export interface Reason {
  readonly what: string;
  readonly points: number;
}

export interface Score {
  readonly total: number;
  readonly level: ScoreLevel;
  readonly points: Readonly<Record<ScoreComponent, number>>;
  readonly reasons: Readonly<Record<ScoreComponent, readonly Reason[]>>;
  /** The component with the largest share of its maximum, the first one if equal. */
  readonly dominant: ScoreComponent;
  /** Estimated input tokens of an agent. */
  readonly tokens: number;
  readonly minutes: number;
}

export interface ScoreInput {
  /** Bytes of the files that exist, by normalised path. */
  readonly sizes?: ReadonlyMap<string, number>;
  readonly limits?: SizeLimits;
  /** The repository's own rules, which come first. */
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

/** Such a task does not start until it is split or a person approves it. */
export function isTooComplex(score: Score): boolean {
  return score.level === 'CRITICAL';
}

/** The text to score: the request, without the settings. */
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
/** Assumed for a file to modify of unknown size. */
const tokensOfUnknownFile = 500;

/** Tokens of the text and the files to read. A file to create counts only if it already exists. */
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

/** Only this much of a text is scored. A longer task is over its token budget anyway. */
const proseCharactersMax = 50_000;

/**
 * The prose as words with one space between and around them. Leaves out code, and quoted lines, which are
 * only context.
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

/**
 * Words that make a task hard or unclear. When you add a line, add a row to the test corpus that needs it.
 * Words are matched in lower case and whole; a `*` at the end stands for any ending.
 */
interface Concept {
  readonly name: string;
  /** Counted once, however many of its words occur. */
  readonly points: number;
  readonly words: RegExp;
}

/** Each line: a name, its points and its words. */
const concepts: readonly Concept[] = `
algorithm, 1: algorithm*, heuristic*, optimal, recursi*, graph traversal, topological, scoring, ranking,
  diffing, interpolat*, dynamic programming, big o
concurrency, 1: async, asynchronous*, concurren*, parallel, race condition*, deadlock*, mutex, locking,
  lock free, thread safe, thread safety, multithread*, atomic*, compare and swap
distribution, 1: distributed, consensus, eventual consistency, eventually consistent, replicat*, shard*,
  partition tolerance, leader election, crdt, two phase commit, saga, exactly once, idempoten*
language work, 1: parser, parsing, compiler, grammar, tokenizer, tokeniser, lexer, interpreter, type
  inference, abstract syntax, code generation
cryptography, 1: encrypt*, decrypt*, cryptograph*, key rotation, signing, signature verification, zero
  knowledge
data migration, 0.5: migrat*, backfill*, zero downtime, schema change, dual write*
security, 0.5: authenticat*, authoriz*, authoris*, oauth*, jwt, permission*, access control, rbac, csrf,
  sso, saml, sandbox*, multi tenant, tenant isolation
integration, 0.5: integrat*, webhook*, third party, external api, external service, payment*, stripe,
  grpc, message queue, kafka, rabbitmq
performance, 0.5: performance, optimiz*, optimis*, caching, cache invalidation, latency, throughput,
  memory leak*, profil* the, hot path, n+1, backpressure, rate limit*
transactions, 0.5: transaction*, rollback, consistency, isolation level, optimistic lock*, outbox
realtime, 0.5: realtime, real time, websocket*, streaming, server sent events, push notification*,
  collaborative editing
state, 0.5: state machine*, workflow engine, event sourcing, undo, conflict resolution, offline, retry,
  retries, retried, resumable, crash recovery
redesign, 0.5: refactor*, rewrite, rearchitect*, redesign*, decouple, extract into, replace the, backward*
  compatib*, plugin system, abstraction
machine learning, 1: machine learning, embeddings, neural, model training, vector search, recommendation
  engine, anomaly detection
low level, 1: kernel, memory layout, simd, ffi, garbage collect*, unsafe code, bytecode, wire protocol,
  binary format
time and money, 0.5: time zone*, timezone*, daylight saving, recurring, proration, currency, currencies,
  rounding, tax*, invoic*, double entry
`
  .trim()
  .split(/\n(?=\S)/)
  .map((line) => {
    const [, name = '', points = '', table = ''] = /^(.+), ([\d.]+): ([^]+)$/.exec(line) ?? [];
    return { name, points: Number(points), words: words(table) };
  });

const vaguePoints = 0.5;

/** Each group counts once, because three synonyms do not make a task three times as vague. */
const vagueGroups: readonly RegExp[] = [
  words('etc, and so on, and more, and the like, among others, et cetera'),
  words('maybe, perhaps, possibly, might, if possible, ideally, probably, nice to have'),
  words('somehow, some way, something like, sort of, kind of, stuff, things, whatever'),
  words(`
    as needed, as appropriate, as necessary, where appropriate, if needed, where needed, when
    necessary, wherever
  `),
  words('improve, better, enhance, clean up, cleanup, nicer, polish, tidy up, modernize, modernise'),
  words(`
    user friendly, intuitive, robust, seamless*, scalable, flexible, easy to use, production ready,
    world class, fast enough, high quality
  `),
  words(`
    tbd, todo decide, to be determined, to be decided, not sure, unclear, figure out, investigate,
    look into, find out, explore options
  `),
  words(`
    various, several places, some of the, everything, everywhere, all the places, across the board,
    whole app, entire codebase
  `),
  words('appropriate, reasonable, proper, properly, suitable, correctly handle, handle all, all edge cases'),
];

/** A pattern for any of the phrases, in words with one space between and around them. */
function words(table: string): RegExp {
  const phrases = table.trim().replace(/\s+/g, ' ').replaceAll('+', '\\+').replaceAll('*', '\\S*');
  return new RegExp(` (${phrases.split(', ').join('|')}) `);
}

interface SizeLimits {
  readonly max_files_to_create: number;
  readonly max_files_to_modify: number;
  readonly max_acceptance_criteria: number;
  readonly max_input_tokens: number;
  readonly max_time_minutes: number;
  /** A task with a higher score is split if auto_split is on. */
  readonly complexity_threshold: number;
  readonly auto_split: boolean;
}

export const sizeLimitsBuiltIn: SizeLimits = {
  max_files_to_create: 5,
  max_files_to_modify: 8,
  max_acceptance_criteria: 7,
  max_input_tokens: 6000,
  max_time_minutes: 5,
  complexity_threshold: 5,
  auto_split: false,
};

/** The limits in the configuration. `max_criteria_per_task` is an alias of `max_acceptance_criteria`. */
type SizeLimitsGiven = Partial<SizeLimits> & { readonly max_criteria_per_task?: number };

export function sizeLimits(given: SizeLimitsGiven = {}): SizeLimits {
  const { max_criteria_per_task, ...own } = given;
  const criteria =
    max_criteria_per_task === undefined ? {} : { max_acceptance_criteria: max_criteria_per_task };
  return { ...sizeLimitsBuiltIn, ...criteria, ...own };
}

export interface SizeWarning {
  readonly limit: keyof SizeLimits;
  readonly found: number;
  readonly max: number;
  readonly message: string;
}

export function sizeWarnings(
  task: Task,
  score: Score,
  limits: SizeLimits = sizeLimitsBuiltIn,
): SizeWarning[] {
  const checks: readonly [keyof SizeLimits, number, string][] = [
    ['max_files_to_create', normalisePaths(task.files_to_create).length, 'files to create'],
    ['max_files_to_modify', normalisePaths(task.files_to_modify).length, 'files to modify'],
    ['max_acceptance_criteria', task.acceptance_criteria?.length ?? 0, 'acceptance criteria'],
    ['max_input_tokens', score.tokens, 'estimated tokens of input'],
    ['max_time_minutes', score.minutes, 'estimated minutes'],
  ];
  return checks.flatMap(([limit, found, what]) => {
    const max = Number(limits[limit]);
    if (found <= max) return [];
    return [
      { limit, found, max, message: `#${task.id} has ${found} ${what}; up to ${max} (${limit}) is advised` },
    ];
  });
}

/** Makes the scorer's input from the configuration and the sizes of files on disk. */
export function scoreInput(
  { task_size_limits, complexity_layers }: Pick<Config, 'task_size_limits' | 'complexity_layers'>,
  sizes?: ReadonlyMap<string, number>,
): Required<Pick<ScoreInput, 'limits' | 'layerRules'>> & ScoreInput {
  return {
    limits: sizeLimits(task_size_limits),
    layerRules: layerRulesOf(complexity_layers),
    ...(sizes ? { sizes } : {}),
  };
}

/** The most points from the components that need the texts and the disk. */
const unseenMax = pointsMax.semantic_complexity + pointsMax.requirement_uncertainty + pointsMax.token_penalty;
const criticalFrom = 11;

/**
 * Whether the task could be critical, judged by its files alone. Words, vagueness and size give at most 6 of
 * the 11 points, so a task without files cannot be. This spares scoring the texts of most tasks.
 */
export function mayBeTooComplex(task: Task, input: ScoreInput): boolean {
  if (task.type !== 'task' && task.type !== 'implement') return false;
  const named = (task.files_to_create?.length ?? 0) + (task.files_to_modify?.length ?? 0);
  if (named * 0.5 + pointsMax.cross_file_deps + unseenMax < criticalFrom) return false;
  if (declaredFiles(task).length === 0) return false;
  const { points } = scoreTask(task, input);
  return points.file_scope + points.cross_file_deps + unseenMax >= criticalFrom;
}

/**
 * Whether complexity no longer blocks the task: a person approved it (`gza approve`), or it has begun or
 * ended.
 */
export function isPastComplexity(record: TaskRecord | null): boolean {
  return (
    record?.approved_at !== undefined || record?.started_at !== undefined || record?.closed_at !== undefined
  );
}

/** The text after "blocked by" for a task that is too complex; null when it may start. */
export function tooComplexText(score: Score): string | null {
  if (!isTooComplex(score)) return null;
  return `its complexity: ${score.total.toFixed(1)} of 13, which must be split or approved`;
}
