import { listedPrices, pricesAsOf } from './price-table.ts';

/** Tokens of one agent run, in the same units for every agent. */
export interface Usage {
  /** Input that was not read from the provider's cache. */
  readonly input: number;
  readonly cachedInput: number;
  /** The part of `input` that was written into that cache, where it has a price of its own. */
  readonly cacheWrite?: number | undefined;
  /** All output, reasoning included. */
  readonly output: number;
  /** The part of `output` that was reasoning. */
  readonly reasoning: number;
}

/** Dollars per million tokens, as a row of the configuration's price table. */
export interface Price {
  readonly input: number;
  /** Without it cached input costs what input costs: too much rather than too little. */
  readonly cached_input?: number | undefined;
  readonly cache_write?: number | undefined;
  readonly output: number;
}

/** By model; the row without a name is for all that no other names. */
export type PriceTable = Readonly<Record<string, Price>>;

/** Tokens by model; without a name where the agent does not say which. */
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

export interface Priced {
  /** Null when nothing has a price. */
  readonly costUsd: number | null;
  /** What has none. */
  readonly unpriced: ModelUsage;
  /** The day of the table that was asked, where no price was set. */
  readonly pricedAsOf?: string | undefined;
}

/** The one place where tokens become dollars: by the prices that are set, then by the table of what providers list. */
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
 * The row for a model: its own name, then without the provider (`openai/gpt-5.5`), then the longest row that
 * the name begins with (`gpt-5.5` for `gpt-5.5-2026-08-01`), so that dated names need no row of their own.
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

/** What a counter that is told again and again has grown by; what is told twice is nothing. */
export function growth(now: Usage, before: Usage): Usage {
  return combine(now, before, (x, y) => Math.max(0, x - y));
}

/**
 * What this run used, when an agent reports totals of the whole session. A total below the last one means
 * that the agent began to count anew, so the total is already the run's.
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
