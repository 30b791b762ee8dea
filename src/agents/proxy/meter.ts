/** Counts what a run of an agent used, from the models' own answers, and decides whether it may go on. */
import {
  addModel,
  type ModelUsage,
  noUsage,
  type PriceTable,
  priceUsage,
  sumOf,
  tokensOf,
  type Usage,
} from '../../core/policy/cost.ts';
import type { Json } from '../adapters/json-line.ts';
import type { ModelApi } from './model-api.ts';

export interface Caps {
  readonly usd?: number | undefined;
  readonly tokens?: number | undefined;
}

export interface Metered {
  readonly models: ModelUsage;
  /** The sum for all models. */
  readonly usage: Usage;
  /** Null when there is no price for one of the models. */
  readonly costUsd: number | null;
  readonly answers: number;
  /** Answers that reported no tokens, or were cut before they did. Their usage is estimated. */
  readonly estimated: number;
  /** Which cap ended the run; undefined if none did. */
  readonly stopped: string | undefined;
}

/** A rough number of bytes per token, for estimates. */
const bytesPerToken = 4;

export class Meter {
  readonly #caps: Caps;
  readonly #prices: PriceTable;
  readonly #open = new Set<Answer>();
  #models: ModelUsage = {};
  #answers = 0;
  #estimated = 0;
  #stopped: string | undefined;

  constructor(caps: Caps, prices: PriceTable) {
    this.#caps = caps;
    this.#prices = prices;
  }

  read(): Metered {
    const { costUsd, unpriced } = priceUsage(this.#models, this.#prices, undefined);
    return {
      models: this.#models,
      usage: sumOf(this.#models),
      costUsd: Object.keys(unpriced).length > 0 ? null : costUsd,
      answers: this.#answers,
      estimated: this.#estimated,
      stopped: this.#stopped,
    };
  }

  /** Starts counting a question that is passed on. `bytes` is the size of its body. */
  begin(api: ModelApi, model: string | undefined, bytes: number): Answer {
    const answer = new Answer(api, model, Math.ceil(bytes / bytesPerToken));
    this.#open.add(answer);
    return answer;
  }

  /** `whole`: the answer is complete. `cut`: it was cut off. `none`: no answer came, so it costs nothing. */
  end(answer: Answer, how: 'whole' | 'cut' | 'none'): void {
    if (!this.#open.delete(answer) || how === 'none') return;
    const exact = how === 'whole' ? answer.told : undefined;
    this.#models = addModel(this.#models, answer.model ?? '', exact ?? answer.likely());
    this.#answers += 1;
    this.#estimated += exact ? 0 : 1;
  }

  /** Why no further question may be asked. Open questions count with their likely cost. */
  whyFull(): string | undefined {
    return this.#check((answer) => answer.likely());
  }

  /** Why an open answer may not go on, judged by the usage it reported and the text that came. */
  whyOver(): string | undefined {
    return this.#check((answer) => answer.soFar());
  }

  stop(why: string): void {
    this.#stopped ??= why;
  }

  #check(of: (answer: Answer) => Usage): string | undefined {
    const { usd, tokens } = this.#caps;
    const models = [...this.#open].reduce(
      (sum, answer) => addModel(sum, answer.model ?? '', of(answer)),
      this.#models,
    );
    if (usd !== undefined && this.#dollars(models) >= usd) return `the budget of $${usd} is used up`;
    if (tokens !== undefined && tokensOf(sumOf(models)) >= tokens)
      return `the limit of ${tokens} tokens is reached`;
    return undefined;
  }

  /** Agents choose model names, so a model without a price is charged like the run's most expensive one. */
  #dollars(models: ModelUsage): number {
    const price = (of: ModelUsage) => priceUsage(of, this.#prices, undefined);
    const { costUsd, unpriced } = price(models);
    const rest = sumOf(unpriced);
    return (
      (costUsd ?? 0) + Math.max(0, ...Object.keys(models).map((name) => price({ [name]: rest }).costUsd ?? 0))
    );
  }
}

/** One answer of a model while it arrives. */
export class Answer {
  readonly model: string | undefined;
  readonly #api: ModelApi;
  readonly #inputEstimate: number;
  #told: Usage | undefined;
  #outputBytes = 0;

  constructor(api: ModelApi, model: string | undefined, inputEstimate: number) {
    this.#api = api;
    this.model = model;
    this.#inputEstimate = inputEstimate;
  }

  /**
   * Takes one event of the answer, or the whole answer. Some APIs report parts and others a running total,
   * so the largest counts are kept.
   */
  take(data: Json): void {
    const usage = this.#api.usage(data);
    this.#outputBytes += textBytes(this.#api.piece(data));
    if (usage) this.#told = largest(this.#told ?? noUsage, usage);
  }

  /** The reported usage; undefined without input tokens, because every question has at least one. */
  get told(): Usage | undefined {
    const { input = 0, cachedInput = 0, cacheWrite = 0 } = this.#told ?? {};
    return input + cachedInput + cacheWrite > 0 ? this.#told : undefined;
  }

  /** The reported usage, with an estimate for text that came after the report. */
  soFar(): Usage {
    const told = this.#told ?? noUsage;
    return { ...told, output: Math.max(told.output, Math.ceil(this.#outputBytes / bytesPerToken)) };
  }

  /** Like soFar, with an estimate for the question if its tokens were not reported. */
  likely(): Usage {
    return this.told ? this.soFar() : { ...this.soFar(), input: this.#inputEstimate };
  }
}

function largest(a: Usage, b: Usage): Usage {
  const cacheWrite = Math.max(a.cacheWrite ?? 0, b.cacheWrite ?? 0);
  return {
    ...(cacheWrite > 0 ? { cacheWrite } : {}),
    input: Math.max(a.input, b.input),
    cachedInput: Math.max(a.cachedInput, b.cachedInput),
    output: Math.max(a.output, b.output),
    reasoning: Math.max(a.reasoning, b.reasoning),
  };
}

/** The total size of all strings in a value. Fields such as `type` and `id` are not text of the model. */
function textBytes(value: unknown, depth = 0): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null || depth > 8) return 0;
  const parts = Object.entries(value).filter(([name]) => !['type', 'role', 'id', 'signature'].includes(name));
  return parts.reduce((sum, [, part]) => sum + textBytes(part, depth + 1), 0);
}
