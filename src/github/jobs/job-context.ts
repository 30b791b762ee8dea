/** What a job knows about its workflow run, and how it talks to the runner. */
import type { Ports } from '../../app/command.ts';
import type { Forge, ForgeRead } from '../api/forge.ts';

export interface JobContext {
  readonly ports: Ports;
  /** An input of the action; empty when it was not given. */
  readonly input: (name: string) => string;
  readonly event: { readonly name: string; readonly payload: Readonly<Record<string, unknown>> };
  /** `owner/name` */
  readonly repository: string;
  readonly defaultBranch: string;
  readonly run: {
    readonly id: number;
    readonly attempt: number;
    readonly url: string;
    /** File name of the triggered workflow, for the next dispatch. */
    readonly workflow: string;
  };
  /** A folder that is deleted after the job. */
  readonly temp: string;
  /** Throws when there is no token. */
  readonly forge: () => Forge;
  readonly output: (name: string, value: string) => void;
  readonly summary: (markdown: string) => void;
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
  /** Folds everything that is printed during `work` under one line of the log. */
  readonly group: <T>(title: string, work: () => Promise<T>) => Promise<T>;
}

/** The context of code that gathers facts and decides: it can only read from GitHub. */
export interface ReadingContext extends Omit<JobContext, 'forge'> {
  readonly forge: () => ForgeRead;
}

export const remote = 'origin';
