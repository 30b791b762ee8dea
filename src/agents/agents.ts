/**
 * What this program knows of a coding agent: how to start it without a person, and how to read what it says.
 * An adapter is pure: it turns a request into a command line and lines into a result. Everything that needs a
 * process, a clock or a disk is in run-agent.ts, once, because each of them gets something of that wrong:
 * exit codes lie (0 after a denied tool, 0 after SIGTERM), some wait for ever, all leave processes behind.
 */

import type { ModelUsage, Usage } from '../core/policy/cost.ts';
import type { ResultKind } from '../core/policy/endings.ts';

/**
 * `read-only`: may look, must not change a file. `edit`: may change files of the work tree. `full`: whatever the machine allows; for throw-away clones.
 */
export type Access = 'read-only' | 'edit' | 'full';

/** How often an agent may repeat a failed call of the model by itself, where it lets itself be told. */
export const modelRetries = 2;

/** Totals that an agent reported for a session; kept by the caller so that a resumed run counts only itself. */
export interface SessionTotals {
  readonly usage: Usage;
}

export interface AgentRequest {
  readonly prompt: string;
  /** The work tree, absolute. */
  readonly cwd: string;
  /** HOME of this run, absolute; made when missing. A session can be resumed only in the HOME it began in. */
  readonly home: string;
  readonly access: Access;
  readonly model?: string | undefined;
  /** Id of a session to go on with. */
  readonly resume?: string | undefined;
  /** What the last run of that session returned as `sessionTotals`. */
  readonly sessionTotals?: SessionTotals | undefined;
  readonly maxTurns?: number | undefined;
  readonly budgetUsd?: number | undefined;
  /** The agent's own variables (keys, tokens, endpoints) that the environment holds. See agentEnvironment. */
  readonly keys: Readonly<Record<string, string>>;
  /** Folders outside the work tree that the run may write, such as the spool. */
  readonly writable?: readonly string[] | undefined;
  /** A JSON Schema for the last answer, for agents that can be held to one. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The one file that a run with read-only access may write, for agents that can be held to that (`writesAnswer`). */
  readonly answerFile?: string | undefined;
  /** As the last argument where that is how people type it and it fits; else agents read it from standard input. */
  readonly promptVia?: 'argument' | undefined;
  /** Filled in by the runner: one agent refuses full access to root unless it is told that it is in a sandbox. */
  readonly isRoot?: boolean | undefined;
}

/** The kernel refuses a longer single argument. */
export const argumentBytesMax = 128 * 1024 - 1;

export function placePrompt({ prompt, promptVia }: Pick<AgentRequest, 'prompt' | 'promptVia'>) {
  const fits = promptVia === 'argument' && Buffer.byteLength(prompt) <= argumentBytesMax;
  return fits ? { promptArgs: [prompt], stdin: '' } : { promptArgs: [], stdin: prompt };
}

export interface LaunchFile {
  /** Relative to HOME. */
  readonly path: string;
  readonly text: string;
}

export interface Launch {
  /** The program's arguments; never seen by a shell. */
  readonly args: readonly string[];
  /** Added to the built environment. `undefined` takes a variable out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  readonly files?: readonly LaunchFile[] | undefined;
  /**
   * Lines the agent appends to a file of its own, fed to the parser like output: the newest file under `folder`
   * (relative to HOME) whose name matches, or all of those. Only what is written during the run counts.
   */
  readonly follow?: { readonly folder: string; readonly name: RegExp; readonly all?: boolean } | undefined;
  /** Something the person should know, such as a limit that this agent cannot keep. */
  readonly warnings?: readonly string[] | undefined;
}

export type ToolPhase = 'start' | 'ok' | 'error' | 'denied';

export type AgentEvent =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool'; readonly name: string; readonly phase: ToolPhase; readonly detail?: string }
  /** The model is asked once more (or has answered once more, where the agent says so only then). */
  | { readonly kind: 'turn' }
  /** Used since the last such event. */
  | { readonly kind: 'usage'; readonly usage: Usage; readonly model?: string; readonly costUsd?: number }
  | { readonly kind: 'retry'; readonly status?: number }
  | { readonly kind: 'error'; readonly message: string };

export interface AgentResult {
  readonly kind: ResultKind;
  /** The last answer. */
  readonly text: string;
  /** The answer as a value, when `outputSchema` was asked for and kept. */
  readonly structured?: unknown;
  readonly sessionId?: string | undefined;
  readonly sessionTotals?: SessionTotals | undefined;
  readonly turns: number;
  /** Of this run. Null when the agent told nothing, also not before it was ended. */
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  /** The part of `usage` that is not in `costUsd`: the agent told no price. */
  readonly unpriced?: ModelUsage | undefined;
  /** The day of the table that a part of `costUsd` was priced by. */
  readonly pricedAsOf?: string | undefined;
  /** Names of tools that were denied. */
  readonly denials: readonly string[];
  readonly error?: string | undefined;
  /** When a usage limit ends, ISO 8601; only from a structured result. */
  readonly resetAt?: string | undefined;
}

/** Why the runner ended it. The first reason wins, and beats exit code and output. */
export type KilledBy =
  | 'timeout'
  | 'idle'
  | 'max_turns'
  | 'budget'
  | 'output_limit'
  /** It took more memory, processes or disk than it may. */
  | 'resources'
  | 'cancelled';

export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly killedBy?: KilledBy | undefined;
  /** With `resources`: what it used too much of. */
  readonly used?: string | undefined;
  /** The last kilobytes of standard error. */
  readonly stderr: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface AgentParser {
  /** One line of standard output, or of the followed file. A line it does not know is nothing, never an error. */
  line(text: string, source: 'stdout' | 'file'): readonly AgentEvent[];
  finish(ending: Ending): AgentResult;
}

/** A provider that an agent asks, as the model proxy reaches it in the agent's place. */
export interface ModelTarget {
  /** Of its API, as the agent would be told: `https://api.openai.com/v1`. */
  readonly upstream: string;
  readonly key: string;
  /** More headers that only the provider may see. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Which of its keys an agent need not hold, and how its variables then name the proxy; or why it must hold them. */
export type KeyHolding =
  | {
      readonly targets: readonly ModelTarget[];
      /** `words`: one for each target. */
      readonly variables: (
        address: string,
        words: readonly string[],
      ) => Readonly<Record<string, string | undefined>>;
    }
  | { readonly why: string };

export interface AgentAdapter {
  readonly name: string;
  /** The program to look for on PATH, or its path. */
  readonly program: string;
  /** It prints its version when asked with `--version`. */
  readonly tellsVersion: boolean;
  /** No flag holds it to a schema, but a run that only looks can be let write the one file of its answer. */
  readonly writesAnswer?: true;
  /** Its own variables, which its environment may hold. */
  readonly keyNames: readonly string[];
  /** Those with one of which it may run. */
  readonly secretNames: readonly string[];
  /** Files under the person's HOME that hold a login, used when no key is set. */
  readonly logins: readonly string[];
  /** Limits it keeps itself; the runner keeps the others. */
  readonly ownLimits: { readonly turns: boolean; readonly budget: boolean };
  /** Lines holding one of these are progress in small pieces: parsed, but not worth logging. */
  readonly noise: readonly string[];
  /** Why it cannot run without any of its `secretNames` and without a login; undefined when it may. */
  readonly missing: string | undefined;
  /** Undefined where there is no key to hold. */
  holding(keys: Readonly<Record<string, string>>): KeyHolding | undefined;
  launch(request: AgentRequest): Launch;
  parser(request: AgentRequest): AgentParser;
}
