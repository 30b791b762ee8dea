/**
 * A failure of the environment, or a mistake of the user. An expected outcome (a lost claim, a failed task)
 * is a value instead. The code decides the exit status.
 */
export type ErrorCode =
  /** The command line is wrong. */
  | 'usage'
  /** A file, an id or a value that the user wrote is wrong. */
  | 'input'
  /** The user may not do this here (agent mode, an immutable field, a rule). */
  | 'refused'
  /** The task cannot start: something must happen first. */
  | 'blocked'
  /** Someone else holds it. */
  | 'lost'
  /** git, the disk, the network or another program failed. */
  | 'world';

export interface ErrorDetails {
  /** What to do next, one line or several. */
  readonly hint?: string;
  /** For `--json` and for callers that branch. */
  readonly data?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

export class GzaError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'GzaError';
    this.code = code;
    this.hint = details.hint;
    this.data = details.data ?? {};
  }
}

/** Checks the name, because the lazily loaded part of the program has its own copy of the class. */
export function isGzaError(error: unknown): error is GzaError {
  return error instanceof Error && error.name === 'GzaError';
}

/** 130: a run was interrupted, as in shells. */
export type ExitCode = 0 | 1 | 2 | 3 | 130;

/** 1: a failure of the environment. 2: a mistake of the user, or a refusal. 3: blocked, or lost a claim. */
export function exitCode(error: unknown): ExitCode {
  if (!isGzaError(error)) return 1;
  switch (error.code) {
    case 'usage':
    case 'input':
    case 'refused':
      return 2;
    case 'blocked':
    case 'lost':
      return 3;
    case 'world':
      return 1;
  }
}
