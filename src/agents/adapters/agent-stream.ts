/**
 * What the output streams of all agents have in common. An adapter extends this class and defines what each
 * kind of line means. Sessions, answers, turns, tokens, tools and denials are kept in the same way for all
 * agents.
 */

import {
  addModel,
  addUsage,
  growth,
  type ModelUsage,
  noUsage,
  tokensOf,
  type Usage,
} from '../../core/policy/cost.ts';
import type { ResultKind } from '../../core/policy/endings.ts';
import type { AgentEvent, AgentParser, AgentRequest, AgentResult, Ending, ToolPhase } from '../agents.ts';
import { buildResult, type Outcome } from './build-result.ts';
import { type Json, jsonLine, stringAt } from './json-line.ts';

export abstract class AgentStream implements AgentParser {
  protected readonly request: AgentRequest;
  protected sessionId: string | undefined;
  /** The last answer. */
  protected text = '';
  protected turns = 0;
  protected usage: Usage | null = null;
  /** The cost that the agent reported, and the usage that it reported without a price. */
  protected costUsd: number | null = null;
  protected unpriced: ModelUsage = {};
  /** The model that gave the last answer, if the agent reports it. */
  protected model: string | undefined;
  /** The error that the agent reported. */
  protected error: string | undefined;
  /** When the agent's usage limit ends, if the agent reports it. */
  protected resetAt: string | undefined;
  protected readonly denials: string[] = [];
  readonly #tools = new Map<string, string>();
  readonly #counters = new Map<string, Usage>();

  constructor(request: AgentRequest) {
    this.request = request;
  }

  /** A line that is not a JSON object is ignored. */
  line(text: string, source: 'stdout' | 'file'): AgentEvent[] {
    const event = jsonLine(text);
    if (!event) return [];
    return source === 'file' ? this.readFile(event) : this.read(event);
  }

  /** The answer is kept only when the run ended well. */
  finish(ending: Ending): AgentResult {
    const kind = this.kind(ending);
    const { sessionId, turns, usage, costUsd, unpriced, denials, error, resetAt } = this;
    const text = kind === 'ok' ? this.text : '';
    const common = { text, sessionId, turns, usage, costUsd, unpriced, denials, error, resetAt };
    return buildResult({ ...common, ...this.outcome(kind, ending), kind }, ending);
  }

  /** Handles one line of standard output. */
  protected abstract read(event: Json): AgentEvent[];

  /** Handles one line of the file that the launch follows. */
  protected readFile(_event: Json): AgentEvent[] {
    return [];
  }

  /** How the run ended, according to the agent; undefined when its output does not say. */
  protected abstract kind(ending: Ending): ResultKind | undefined;

  /** Values that the adapter knows better than this class does. */
  protected outcome(_kind: ResultKind | undefined, _ending: Ending): Partial<Outcome> {
    return {};
  }

  protected started(id: string | undefined): AgentEvent[] {
    if (!id) return [];
    this.sessionId = id;
    return [{ kind: 'session', id }];
  }

  protected answered(text = ''): AgentEvent[] {
    this.text = text;
    return text ? [{ kind: 'text', text }] : [];
  }

  protected turn(): AgentEvent[] {
    this.turns += 1;
    return [{ kind: 'turn' }];
  }

  /** `model` is the agent's own name for it. A cost of zero means that the agent has no price. */
  protected used(usage: Usage, { model, costUsd = 0 }: UsedBy = {}): AgentEvent[] {
    this.usage = addUsage(this.usage ?? noUsage, usage);
    this.model = model ?? this.model;
    if (costUsd > 0) this.costUsd = (this.costUsd ?? 0) + costUsd;
    else this.unpriced = addModel(this.unpriced, this.model ?? '', usage);
    const by = this.model === undefined ? {} : { model: this.model };
    return [{ kind: 'usage', usage, ...by, ...(costUsd > 0 ? { costUsd } : {}) }];
  }

  /** For agents that report one answer's usage several times, as a growing count: adds only the growth. */
  protected counted(answer: string, usage: Usage, by: UsedBy = {}): AgentEvent[] {
    const before = this.#counters.get(answer) ?? noUsage;
    const more = growth(usage, before);
    this.#counters.set(answer, addUsage(before, more));
    return tokensOf(more) === 0 ? [] : this.used(more, by);
  }

  /** For agents whose last event has the total: attributes all of it to the model that answered. */
  protected total(usage: Usage | null): Pick<Outcome, 'usage' | 'unpriced'> {
    return { usage, unpriced: usage === null ? {} : { [this.model ?? '']: usage } };
  }

  protected failed(message = 'an error'): AgentEvent[] {
    this.error = message;
    return [{ kind: 'error', message }];
  }

  protected toolStarted(id: string | undefined, name = 'a tool', input?: unknown): AgentEvent[] {
    this.#tools.set(id ?? '', name);
    return this.tool(name, 'start', input);
  }

  /** The name that the tool call started with. */
  protected toolName(id: string | undefined): string | undefined {
    return this.#tools.get(id ?? '');
  }

  protected tool(name: string, phase: ToolPhase, input?: unknown): AgentEvent[] {
    if (phase === 'denied') this.denials.push(name);
    const detail = inputNames.map((one) => stringAt(input, one)).find((value) => value);
    return [{ kind: 'tool', name, phase, ...(detail ? { detail } : {}) }];
  }
}

interface UsedBy {
  readonly model?: string | undefined;
  readonly costUsd?: number | undefined;
}

/** The fields of a tool's input that are worth showing to people, under each agent's name for them. */
const inputNames = ['command', 'file_path', 'filePath', 'path'];

/** Converts the counts of agents whose input tokens include the cached ones. */
export function usageWithCache(input: number, cachedInput: number, output: number, reasoning: number): Usage {
  return { input: Math.max(0, input - cachedInput), cachedInput, output, reasoning };
}

/** Converts seconds or milliseconds since 1970 to ISO 8601; undefined for an impossible time. */
export function isoTime(time: number | undefined): string | undefined {
  if (time === undefined || !(time > 0)) return undefined;
  const ms = time < 1e11 ? time * 1000 : time;
  return ms < 8.64e15 ? new Date(ms).toISOString() : undefined;
}
