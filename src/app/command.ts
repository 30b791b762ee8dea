/**
 * A verb. Both front ends (the command line and the action) parse words into an Invocation, run the verb,
 * and print its Outcome. A verb never prints anything itself, except progress of long work through
 * `ports.progress`.
 */
import type { CommandSpec } from '../core/arguments/command-spec.ts';
import type { ExitCode } from '../core/errors.ts';
import type { Style } from '../core/text/terminal/lines.ts';
import type { Holds } from './kept-answer.ts';

export type OptionValue = boolean | string | number | readonly string[];

export interface Invocation {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, OptionValue | undefined>>;
}

export interface Outcome {
  /** Default 0. */
  readonly exit?: ExitCode;
  /** The value that `--json` prints. */
  readonly json: unknown;
  readonly text: string;
  /** Set when the answer may be cached. */
  readonly holds?: Holds;
}

/** Everything of the outside world that a verb may use. */
export interface Ports {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The time in ISO 8601, UTC. */
  readonly now: () => string;
  readonly random: () => string;
  /** How the program was called: `gza` or `git tasks`. */
  readonly program: string;
  /** Reads standard input to its end, at most 10 MB; null when it is a terminal. */
  readonly stdin: () => Promise<string | null>;
  /** Asks a person at a terminal for a line; absent without a terminal. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  readonly style: Style;
  /** Width of the terminal, or null in a pipe. */
  readonly columns: number | null;
  /** Prints a line for people to standard error. */
  readonly progress: (line: string) => void;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Command {
  readonly spec: CommandSpec;
  readonly run: (invocation: Invocation, ports: Ports) => Promise<Outcome>;
}
