/**
 * What the streams of all agents have in common. An adapter says what each kind of line means by telling it here;
 * sessions, answers, turns, tokens, tools and denials are kept in one way for all of them.
 */
import { addUsage, noUsage, type Usage } from '../../core/policy/price.ts';
import type { AgentEvent, AgentParser, AgentResult, Ending, ResultKind, ToolPhase } from '../agents.ts';
import { buildResult, type Outcome } from './build-result.ts';
import { type Json, jsonLine } from './json-line.ts';

export class Heard {
  sessionId: string | undefined;
  /** The last answer. */
  text = '';
  turns = 0;
  usage: Usage | null = null;
  readonly denials: string[] = [];
  readonly #tools = new Map<string, string>();

  constructor(sessionId?: string) {
    this.sessionId = sessionId;
  }

  session(id: string | undefined): AgentEvent[] {
    if (id === undefined || id === '') return [];
    this.sessionId = id;
    return [{ kind: 'session', id }];
  }

  answer(text = ''): AgentEvent[] {
    this.text = text;
    return text ? [{ kind: 'text', text }] : [];
  }

  turn(): AgentEvent[] {
    this.turns += 1;
    return [{ kind: 'turn' }];
  }

  used(usage: Usage, costUsd = 0): AgentEvent[] {
    this.usage = addUsage(this.usage ?? noUsage, usage);
    return [{ kind: 'usage', usage, ...(costUsd > 0 ? { costUsd } : {}) }];
  }

  toolStarted(id: string | undefined, name = 'a tool', detail?: string): AgentEvent[] {
    this.#tools.set(id ?? '', name);
    return this.tool(name, 'start', detail);
  }

  /** The name that it began under. */
  toolName(id: string | undefined): string | undefined {
    return this.#tools.get(id ?? '');
  }

  tool(name: string, phase: ToolPhase, detail?: string): AgentEvent[] {
    if (phase === 'denied') this.denials.push(name);
    return [{ kind: 'tool', name, phase, ...(detail ? { detail } : {}) }];
  }

  /** The end of the run. An answer counts only where the run ended well. */
  result(kind: ResultKind | undefined, ending: Ending, more: Partial<Outcome> = {}): AgentResult {
    const { sessionId, turns, usage, denials } = this;
    const text = kind === 'ok' ? this.text : '';
    return buildResult({ text, sessionId, turns, usage, denials, costUsd: null, ...more, kind }, ending);
  }
}

/** A line that is no JSON object says nothing. */
export function streamParser(
  read: (event: Json, source: 'stdout' | 'file') => AgentEvent[],
  finish: (ending: Ending) => AgentResult,
): AgentParser {
  return {
    line(text, source) {
      const event = jsonLine(text);
      return event ? read(event, source) : [];
    },
    finish,
  };
}
