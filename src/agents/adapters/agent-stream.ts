/**
 * What the streams of all agents have in common. An adapter extends this and says what each kind of line means;
 * sessions, answers, turns, tokens, tools and denials are kept in one way for all of them.
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
  /** What the agent said of its cost, and what it left without one. */
  protected costUsd: number | null = null;
  protected unpriced: ModelUsage = {};
  /** That answered last, where it says so. */
  protected model: string | undefined;
  /** What the agent said went wrong. */
  protected error: string | undefined;
  /** When its usage limit ends, where it says so. */
  protected resetAt: string | undefined;
  protected readonly denials: string[] = [];
  readonly #tools = new Map<string, string>();
  readonly #counters = new Map<string, Usage>();

  constructor(request: AgentRequest) {
    this.request = request;
  }

  /** A line that is no JSON object says nothing. */
  line(text: string, source: 'stdout' | 'file'): AgentEvent[] {
    const event = jsonLine(text);
    if (!event) return [];
    return source === 'file' ? this.readFile(event) : this.read(event);
  }

  /** An answer counts only where the run ended well. */
  finish(ending: Ending): AgentResult {
    const kind = this.kind(ending);
    const { sessionId, turns, usage, costUsd, unpriced, denials, error, resetAt } = this;
    const text = kind === 'ok' ? this.text : '';
    const common = { text, sessionId, turns, usage, costUsd, unpriced, denials, error, resetAt };
    return buildResult({ ...common, ...this.outcome(kind, ending), kind }, ending);
  }

  /** One line of what it prints. */
  protected abstract read(event: Json): AgentEvent[];

  /** One line of the file that the launch follows. */
  protected readFile(_event: Json): AgentEvent[] {
    return [];
  }

  /** How it ended, as the agent tells it; undefined when it tells nothing. */
  protected abstract kind(ending: Ending): ResultKind | undefined;

  /** What the agent knows better than the stream. */
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

  /** `model` as the agent names it; a cost of nothing is none. */
  protected used(usage: Usage, { model, costUsd = 0 }: UsedBy = {}): AgentEvent[] {
    this.usage = addUsage(this.usage ?? noUsage, usage);
    this.model = model ?? this.model;
    if (costUsd > 0) this.costUsd = (this.costUsd ?? 0) + costUsd;
    else this.unpriced = addModel(this.unpriced, this.model ?? '', usage);
    const by = this.model === undefined ? {} : { model: this.model };
    return [{ kind: 'usage', usage, ...by, ...(costUsd > 0 ? { costUsd } : {}) }];
  }

  /** As the agent counts one answer by now: it may tell it again, and more each time. */
  protected counted(answer: string, usage: Usage, by: UsedBy = {}): AgentEvent[] {
    const before = this.#counters.get(answer) ?? noUsage;
    const more = growth(usage, before);
    this.#counters.set(answer, addUsage(before, more));
    return tokensOf(more) === 0 ? [] : this.used(more, by);
  }

  /** All that the run used, where its end tells, for the model that answered. */
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

  /** The name that it began under. */
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

/** What people want to see of a tool's input, under the names that agents have for it. */
const inputNames = ['command', 'file_path', 'filePath', 'path'];

/** Tokens in gza's units, of agents whose input counts the cached part too. */
export function usageWithCache(input: number, cachedInput: number, output: number, reasoning: number): Usage {
  return { input: Math.max(0, input - cachedInput), cachedInput, output, reasoning };
}

/** ISO 8601 of a time that came as seconds or milliseconds since 1970; undefined for what cannot be one. */
export function isoTime(time: number | undefined): string | undefined {
  if (time === undefined || !(time > 0)) return undefined;
  const ms = time < 1e11 ? time * 1000 : time;
  return ms < 8.64e15 ? new Date(ms).toISOString() : undefined;
}
