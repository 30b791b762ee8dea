/** What a job of the workflow knows of the run it is part of, and how it speaks to it. */
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
    /** File name of the workflow that was triggered, for the next dispatch. */
    readonly workflow: string;
  };
  /** A folder that goes with the job. */
  readonly temp: string;
  /** Throws when there is no token. */
  readonly forge: () => Forge;
  readonly output: (name: string, value: string) => void;
  readonly summary: (markdown: string) => void;
  readonly say: (line: string) => void;
  readonly warn: (line: string) => void;
  /** What is said meanwhile is folded in the log, under this line. */
  readonly group: <T>(title: string, work: () => Promise<T>) => Promise<T>;
}

/** For what gathers facts and decides: of GitHub it can only read. */
export interface ReadingContext extends Omit<JobContext, 'forge'> {
  readonly forge: () => ForgeRead;
}

export const remote = 'origin';
