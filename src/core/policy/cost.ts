/** What work costs: converts tokens to dollars by the providers' prices, and adds up steps. */
import type { TaskView } from '../board/board.ts';
import type { StepRecord } from '../ledger/record/record.ts';
import { parseTime } from '../time.ts';

/** Tokens of one agent run, in the same units for every agent. */
export interface Usage {
  /** Input that was not read from the provider's cache. */
  readonly input: number;
  readonly cachedInput: number;
  /** The part of `input` that was written into that cache, if it has its own price. */
  readonly cacheWrite?: number | undefined;
  /** All output, reasoning included. */
  readonly output: number;
  /** The part of `output` that was reasoning. */
  readonly reasoning: number;
}

/** Dollars per million tokens, as a row of the configuration's price table. */
interface Price {
  readonly input: number;
  /** Without it cached input is priced as input: too much rather than too little. */
  readonly cached_input?: number | undefined;
  readonly cache_write?: number | undefined;
  readonly output: number;
}

/** By model; the row with an empty name is for all models that no other row names. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Tokens by model; the name is empty if the agent does not report it. */
export type ModelUsage = Readonly<Record<string, Usage>>;

export const noUsage: Usage = { input: 0, cachedInput: 0, output: 0, reasoning: 0 };

export function dollars(usage: Usage, price: Price): number {
  const { input, output, cached_input: cached = input, cache_write: written = input } = price;
  const { cacheWrite = 0 } = usage;
  const fresh = (usage.input - cacheWrite) * input + cacheWrite * written;
  return (fresh + usage.cachedInput * cached + usage.output * output) / 1_000_000;
}

export function tokensOf({ input, cachedInput, output }: Usage): number {
  return input + cachedInput + output;
}

interface Priced {
  /** Null if nothing has a price. */
  readonly costUsd: number | null;
  /** Usage that has no price. */
  readonly unpriced: ModelUsage;
  /** The date of the list prices, where they were used because no price was set. */
  readonly pricedAsOf?: string | undefined;
}

/** The one place where tokens become dollars: by the prices that are set, otherwise by the list prices. */
export function priceUsage(models: ModelUsage, prices: PriceTable, model: string | undefined): Priced {
  let priced: Priced = { costUsd: null, unpriced: {} };
  for (const [name, usage] of Object.entries(models)) {
    const set = priceOf(prices, name || model) ?? prices[''];
    const price = set ?? priceOf(listedPrices, name || model);
    priced =
      price === undefined
        ? { ...priced, unpriced: { ...priced.unpriced, [name]: usage } }
        : {
            ...priced,
            costUsd: (priced.costUsd ?? 0) + dollars(usage, price),
            ...(set === undefined ? { pricedAsOf: pricesAsOf } : {}),
          };
  }
  return priced;
}

/**
 * The row for a model: its full name, then the name without the provider (`openai/gpt-5.5`), then the longest
 * row that the name begins with (`gpt-5.5` for `gpt-5.5-2026-08-01`), so that dated names need no row of
 * their own.
 */
export function priceOf(table: PriceTable, model: string | undefined): Price | undefined {
  if (!model) return undefined;
  const short = model.slice(model.lastIndexOf('/') + 1);
  if (Object.hasOwn(table, model)) return table[model];
  if (Object.hasOwn(table, short)) return table[short];
  const rows = Object.keys(table).filter((row) => short.startsWith(`${row}-`) || short.startsWith(`${row}@`));
  const longest = rows.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? undefined : table[longest];
}

export function addUsage(a: Usage, b: Usage): Usage {
  return combine(a, b, (x, y) => x + y);
}

export function addModel(models: ModelUsage, model: string, usage: Usage): ModelUsage {
  return { ...models, [model]: addUsage(models[model] ?? noUsage, usage) };
}

export function sumOf(models: ModelUsage): Usage {
  return Object.values(models).reduce(addUsage, noUsage);
}

/** How much a repeatedly reported counter has grown; reporting the same value twice adds nothing. */
export function growth(now: Usage, before: Usage): Usage {
  return combine(now, before, (x, y) => Math.max(0, x - y));
}

/**
 * What this run used, if an agent reports totals of the whole session. A total below the last one means that
 * the agent restarted its count, so the total is already that of the run.
 */
export function usageSince(total: Usage, before: Usage | undefined): Usage {
  if (before === undefined) return total;
  const delta = combine(total, before, (x, y) => x - y);
  return Object.values(delta).some((count) => count < 0) ? total : delta;
}

function combine(a: Usage, b: Usage, of: (x: number, y: number) => number): Usage {
  const cacheWrite = of(a.cacheWrite ?? 0, b.cacheWrite ?? 0);
  return {
    ...(cacheWrite === 0 ? {} : { cacheWrite }),
    input: of(a.input, b.input),
    cachedInput: of(a.cachedInput, b.cachedInput),
    output: of(a.output, b.output),
    reasoning: of(a.reasoning, b.reasoning),
  };
}

/**
 * Prices on the providers' own pages on that day: dollars for a million tokens of input, cached input and
 * output, for prompts of usual length. They price what an agent leaves unpriced, such as a run that was
 * ended; `prices` in gza.yaml wins over them. A price that will rise is listed as it will be.
 */

export const pricesAsOf = '2026-10-10';

const rows = `
claude-fable-5-1      10    0.25   50
claude-fable-5        10    1      50
claude-opus-5-5       4     0.2    20
claude-opus-5         5     0.5    25
claude-opus-4-8       5     0.5    25
claude-opus-4-7       5     0.5    25
claude-opus-4-6       5     0.5    25
claude-opus-4-5       5     0.5    25
claude-opus-4-1       15    1.5    75
claude-opus-4         15    1.5    75
claude-sonnet-5-5     2     0.1    10
claude-sonnet-5       2     0.2    10
claude-sonnet-4-6     3     0.3    15
claude-sonnet-4-5     3     0.3    15
claude-sonnet-4       3     0.3    15
claude-haiku-5-5      0.5   0.05   2.5
claude-haiku-4-5      1     0.1    5
gpt-6.1-sol           2     0.1    10
gpt-6-sol             2     0.2    10
gpt-5.6-sol           4     0.4    20
gpt-5.6-terra         2     0.2    12
gpt-5.6-luna          0.2   0.02   1.2
gpt-5.5-pro           30    3      180
gpt-5.5               5     0.5    30
gpt-5.4-pro           30    3      180
gpt-5.4-mini          0.75  0.075  4.5
gpt-5.4-nano          0.2   0.02   1.25
gpt-5.4               2.5   0.25   15
gpt-5.3-codex         1.75  0.175  14
gpt-5.2               1.75  0.175  14
gpt-5.1-codex-mini    0.25  0.025  2
gpt-5.1               1.25  0.125  10
gpt-5-mini            0.25  0.025  2
gpt-5-nano            0.05  0.005  0.4
gpt-5                 1.25  0.125  10
gpt-4.1-mini          0.4   0.1    1.6
gpt-4.1-nano          0.1   0.025  0.4
gpt-4.1               2     0.5    8
gemini-3.8-flash      1.5   0.15   7.5
gemini-3.7-flash      1.5   0.15   7.5
gemini-3.6-flash      1.5   0.15   7.5
gemini-3.5-flash-lite 0.3   0.03   2.5
gemini-3.5-flash      1.5   0.15   9
gemini-3.1-pro        2     0.2    12
gemini-3.1-flash-lite 0.25  0.025  1.5
gemini-3-pro          2     0.2    12
gemini-3-flash        0.5   0.05   3
gemini-2.5-pro        1.25  0.125  10
gemini-2.5-flash-lite 0.1   0.01   0.4
gemini-2.5-flash      0.3   0.03   2.5
`;

/** Anthropic charges a quarter more for tokens written into its cache. */
const cacheWrite = 1.25;

export const listedPrices: PriceTable = Object.fromEntries(rows.trim().split('\n').map(rowOf));

function rowOf(row: string): [string, Price] {
  const [name = '', ...numbers] = row.split(/ +/);
  const [input = 0, cached_input = 0, output = 0] = numbers.map(Number);
  const written = name.startsWith('claude-') ? { cache_write: input * cacheWrite } : {};
  return [name, { input, cached_input, output, ...written }];
}

/**
 * What steps cost. They are added up only here, for the end of a run, the summary, the board and the report.
 */
export interface Spent {
  /** Steps that ended. */
  readonly steps: number;
  readonly failed: number;
  readonly seconds: number;
  /** What the claims of the steps reserved. */
  readonly reserved_usd: number;
  readonly cost_usd: number;
  /** Tokens that the cost leaves out, because nobody knows their price. */
  readonly unpriced_tokens: number;
}

export const nothingSpent: Spent = {
  steps: 0,
  failed: 0,
  seconds: 0,
  reserved_usd: 0,
  cost_usd: 0,
  unpriced_tokens: 0,
};

export function addSpent(a: Spent, b: Spent): Spent {
  return {
    steps: a.steps + b.steps,
    failed: a.failed + b.failed,
    seconds: a.seconds + b.seconds,
    reserved_usd: rounded(a.reserved_usd + b.reserved_usd),
    cost_usd: rounded(a.cost_usd + b.cost_usd),
    unpriced_tokens: a.unpriced_tokens + b.unpriced_tokens,
  };
}

/** Rounded to a millionth, as in ledgers. */
function rounded(sum: number): number {
  return Math.round(sum * 1e6) / 1e6;
}

export function spentOn(step: StepRecord): Spent {
  const { outcome, reserved_usd = 0, cost_usd = 0, unpriced_tokens = 0 } = step;
  const failed = outcome === 'failed' ? 1 : 0;
  return { steps: 1, failed, seconds: secondsOf(step), reserved_usd, cost_usd, unpriced_tokens };
}

export function secondsOf({ started_at, ended_at }: Pick<StepRecord, 'started_at' | 'ended_at'>): number {
  return Math.max(0, Math.round((parseTime(ended_at) - parseTime(started_at)) / 1000) || 0);
}

/** For a whole task. The totals of its record include steps that it no longer keeps. */
export function spentOnTask({ record }: Pick<TaskView, 'record'>): Spent {
  const kept = (record?.steps ?? []).map(spentOn).reduce(addSpent, nothingSpent);
  const { cost_usd = 0, seconds = 0, unpriced_tokens = 0 } = record ?? {};
  return { ...kept, cost_usd, seconds, unpriced_tokens };
}

export interface CostRow extends Spent {
  readonly task: string;
  readonly step: string;
  readonly agent: string;
}

/** Adds up the rows with the same task, step and agent, and keeps their order. */
export function costRows(rows: readonly CostRow[]): CostRow[] {
  const sums = new Map<string, CostRow>();
  for (const row of rows) {
    const key = JSON.stringify([row.task, row.step, row.agent]);
    const before = sums.get(key);
    sums.set(key, before ? { ...row, ...addSpent(before, row) } : row);
  }
  return [...sums.values()];
}

/** For all tasks, the most costly rows first. Steps at work count with what they reserved. */
export function boardCosts(views: readonly TaskView[]): CostRow[] {
  const ended = views.flatMap(({ id, record }) =>
    (record?.steps ?? []).map((one) => ({
      task: id,
      step: one.step,
      agent: one.agent ?? '',
      ...spentOn(one),
    })),
  );
  const running = views.flatMap(({ id, claim }) => {
    const { step, agent = '', reserved_usd } = claim ?? {};
    return step && reserved_usd ? [{ task: id, step, agent, ...nothingSpent, reserved_usd }] : [];
  });
  return costRows([...ended, ...running]).sort(
    (a, b) =>
      b.cost_usd - a.cost_usd || b.unpriced_tokens - a.unpriced_tokens || b.reserved_usd - a.reserved_usd,
  );
}
