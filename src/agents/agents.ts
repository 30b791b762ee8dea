/**
 * What gza knows about a coding agent: how to start it without a person, and how to read its output. An
 * adapter is pure: it turns a request into a command line, and lines into a result. Everything that needs a
 * process, a clock or a disk is in run-agent.ts, because every agent gets some of it wrong: exit codes lie
 * (0 after a denied tool, 0 after SIGTERM), some agents wait forever, and all leave processes behind.
 */

import type { ModelUsage, Usage } from '../core/policy/cost.ts';
import type { ResultKind } from '../core/policy/endings.ts';

/**
 * `read-only` may not change a file. `edit` may change files of the work tree. `full` may do whatever the
 * machine allows, and is for throw-away clones.
 */
export type Access = 'read-only' | 'edit' | 'full';

/** How often an agent may retry a failed call of the model by itself, if it has a setting for that. */
export const modelRetries = 2;

/** An agent's totals for a session. The caller keeps them, so that a resumed run counts only its own. */
export interface SessionTotals {
  readonly usage: Usage;
}

export interface AgentRequest {
  readonly prompt: string;
  /** The work tree, absolute. */
  readonly cwd: string;
  /** HOME of this run, absolute; created when missing. A session can be resumed only in its own HOME. */
  readonly home: string;
  readonly access: Access;
  readonly model?: string | undefined;
  /** Id of a session to resume. */
  readonly resume?: string | undefined;
  /** What the last run of that session returned as `sessionTotals`. */
  readonly sessionTotals?: SessionTotals | undefined;
  readonly maxTurns?: number | undefined;
  readonly budgetUsd?: number | undefined;
  /** The agent's own variables (keys, tokens, endpoints) from the environment. See agentEnvironment. */
  readonly keys: Readonly<Record<string, string>>;
  /** Folders outside the work tree that the run may write, such as the spool. */
  readonly writable?: readonly string[] | undefined;
  /** A JSON Schema for the last answer, for agents that support one. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** The one file that a run with read-only access may write, for agents with `writesAnswer`. */
  readonly answerFile?: string | undefined;
  /** `argument`: the prompt is the last argument, if it fits. Otherwise it goes to standard input. */
  readonly promptVia?: 'argument' | undefined;
  /** Set by the runner: Claude Code refuses full access to root unless told that it is in a sandbox. */
  readonly isRoot?: boolean | undefined;
}

/** Linux refuses a longer single argument. */
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
  /** Merged into the built environment. `undefined` removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  readonly files?: readonly LaunchFile[] | undefined;
  /**
   * The agent appends lines to files of its own; they go to the parser like output. `all` follows every
   * file under `folder` (relative to HOME) that matches; otherwise only the newest. Earlier content is
   * skipped.
   */
  readonly follow?: { readonly folder: string; readonly name: RegExp; readonly all?: boolean } | undefined;
  /** Warnings for the person, such as a limit that this agent cannot keep. */
  readonly warnings?: readonly string[] | undefined;
}

export type ToolPhase = 'start' | 'ok' | 'error' | 'denied';

export type AgentEvent =
  | { readonly kind: 'session'; readonly id: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'tool'; readonly name: string; readonly phase: ToolPhase; readonly detail?: string }
  /** The model is asked once more. Some agents report this only after the answer. */
  | { readonly kind: 'turn' }
  /** The usage since the last such event. */
  | { readonly kind: 'usage'; readonly usage: Usage; readonly model?: string; readonly costUsd?: number }
  | { readonly kind: 'retry'; readonly status?: number }
  | { readonly kind: 'error'; readonly message: string };

export interface AgentResult {
  readonly kind: ResultKind;
  /** The last answer. */
  readonly text: string;
  /** The answer as a value, if `outputSchema` was given and the agent kept to it. */
  readonly structured?: unknown;
  readonly sessionId?: string | undefined;
  readonly sessionTotals?: SessionTotals | undefined;
  readonly turns: number;
  /** The usage of this run; null when the agent reported none before it ended. */
  readonly usage: Usage | null;
  readonly costUsd: number | null;
  /** The part of `usage` that `costUsd` does not include, because the agent reported no price for it. */
  readonly unpriced?: ModelUsage | undefined;
  /** The date of the price table, if a part of `costUsd` was computed from one. */
  readonly pricedAsOf?: string | undefined;
  /** Names of tools that were denied. */
  readonly denials: readonly string[];
  readonly error?: string | undefined;
  /** When a usage limit ends (ISO 8601). It comes only from structured output. */
  readonly resetAt?: string | undefined;
}

/** Why the runner ended the run. The first reason wins, and takes precedence over exit code and output. */
export type KilledBy =
  | 'timeout'
  | 'idle'
  | 'max_turns'
  | 'budget'
  | 'output_limit'
  /** It used more memory, processes or disk than allowed. */
  | 'resources'
  | 'cancelled';

export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly killedBy?: KilledBy | undefined;
  /** For `resources`: which resource it used too much of. */
  readonly used?: string | undefined;
  /** The last kilobytes of standard error. */
  readonly stderr: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface AgentParser {
  /** Handles one line of standard output or of a followed file. An unknown line is ignored. */
  line(text: string, source: 'stdout' | 'file'): readonly AgentEvent[];
  finish(ending: Ending): AgentResult;
}

/** A model provider that the proxy contacts in place of the agent. */
export interface ModelTarget {
  /** The base URL of its API, as the agent would get it: `https://api.openai.com/v1`. */
  readonly upstream: string;
  readonly key: string;
  /** Extra headers that only the provider may see. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * The keys that the proxy can hold for an agent, and the variables that point the agent to the proxy.
 * Otherwise, the reason why the agent must hold them itself.
 */
export type KeyHolding =
  | {
      readonly targets: readonly ModelTarget[];
      /** `words` has one stand-in key for each target. */
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
  /** Whether it prints its version for `--version`. */
  readonly tellsVersion: boolean;
  /** It has no option for a schema, but a read-only run can be allowed to write its answer to a file. */
  readonly writesAnswer?: true;
  /** Its own variables, which it may be given. */
  readonly keyNames: readonly string[];
  /** Variables that count as a credential: with any one of them it can run. */
  readonly secretNames: readonly string[];
  /** Files under the person's HOME that hold a login, used when no key is set. */
  readonly logins: readonly string[];
  /** Limits that the agent enforces itself; the runner enforces the others. */
  readonly ownLimits: { readonly turns: boolean; readonly budget: boolean };
  /** Lines that contain one of these are small pieces of progress: they are parsed but not logged. */
  readonly noise: readonly string[];
  /** The message when it has no login and none of its `secretNames`; undefined when it can run without. */
  readonly missing: string | undefined;
  /** Undefined when there is no key. */
  holding(keys: Readonly<Record<string, string>>): KeyHolding | undefined;
  launch(request: AgentRequest): Launch;
  parser(request: AgentRequest): AgentParser;
}
