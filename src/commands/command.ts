/**
 * What a verb is. Both fronts (the command line and the action) parse words into an Invocation, run the verb,
 * and print its Outcome; no verb prints by itself, except progress of long work through `ports.progress`.
 */
import type { ExitCode } from '../core/errors.ts';
import type { Style } from '../core/text/style.ts';

export interface OptionSpec {
  /** Long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** `flag` takes no value; `many` may be given several times. */
  readonly type: 'flag' | 'text' | 'number' | 'many';
  /** Shown in help: `--for <time>`. */
  readonly value?: string;
  readonly help: string;
  /** Values that are allowed; completion offers them. */
  readonly choices?: readonly string[];
  /** Other long names for the same. */
  readonly aliases?: readonly string[];
}

export interface ArgumentSpec {
  readonly name: string;
  readonly required?: boolean;
  readonly many?: boolean;
  /** Completed from the ids, groups or files there are. */
  readonly completes?: 'id' | 'group' | 'file';
}

export interface Example {
  readonly command: string;
  readonly shows: string;
}

/** Help and parsing of one verb. */
export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  readonly details?: string;
  readonly examples: readonly Example[];
  /** Rewrites what others rely on: refused when an agent runs it. */
  readonly forPeople?: boolean;
}

export type OptionValue = boolean | string | number | readonly string[];

export interface Invocation {
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, OptionValue | undefined>>;
}

export interface Outcome {
  /** Default 0. */
  readonly exit?: ExitCode;
  /** What `--json` prints. */
  readonly json: unknown;
  readonly text: string;
}

/** The outside world as a verb sees it. */
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
  readonly style: Style;
  /** Width of the terminal, or null in a pipe. */
  readonly columns: number | null;
  /** A line for people on standard error. */
  readonly progress: (line: string) => void;
  /** Aborted by the first Ctrl-C. */
  readonly signal: AbortSignal;
}

export interface Command {
  readonly spec: CommandSpec;
  readonly run: (invocation: Invocation, ports: Ports) => Promise<Outcome>;
}
