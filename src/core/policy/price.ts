/** Tokens of one agent run, in the same units for every agent. */
export interface Usage {
  /** Input that was not read from the provider's cache. */
  readonly input: number;
  readonly cachedInput: number;
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
  readonly output: number;
}

export type PriceTable = Readonly<Record<string, Price>>;

export const noUsage: Usage = { input: 0, cachedInput: 0, output: 0, reasoning: 0 };

export function dollars(usage: Usage, price: Price): number {
  const cached = price.cached_input ?? price.input;
  const perMillion = usage.input * price.input + usage.cachedInput * cached + usage.output * price.output;
  return perMillion / 1_000_000;
}

/**
 * The row for a model: its own name, then without the provider (`openai/gpt-5.5`), then the longest row that
 * the name begins with (`gpt-5.5` for `gpt-5.5-2026-08-01`), so that dated names need no row of their own.
 */
export function priceOf(table: PriceTable, model: string | undefined): Price | undefined {
  if (model === undefined) return undefined;
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
  return {
    input: of(a.input, b.input),
    cachedInput: of(a.cachedInput, b.cachedInput),
    output: of(a.output, b.output),
    reasoning: of(a.reasoning, b.reasoning),
  };
}
