/** The words of the workflow harness. */
import type { Github } from './github.ts';
import type { StepResult } from './runner.ts';
import type { Permissions, Run } from './state.ts';
import type { Source } from './workflow-source.ts';

export type Result = 'success' | 'failure' | 'cancelled' | 'skipped';
export type Json = Record<string, unknown>;

export interface StepDefinition extends Json {
  readonly id?: string;
  readonly name?: string;
  readonly if?: unknown;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Json;
  readonly env?: Json;
  readonly shell?: string;
  readonly 'working-directory'?: string;
  readonly 'continue-on-error'?: unknown;
  readonly 'timeout-minutes'?: unknown;
}

export interface JobDefinition extends Json {
  readonly name?: string;
  readonly needs?: string | readonly string[];
  readonly if?: unknown;
  readonly uses?: string;
  readonly with?: Json;
  readonly secrets?: Json | 'inherit';
  readonly steps?: readonly StepDefinition[];
  readonly strategy?: Json;
  readonly outputs?: Json;
  readonly env?: Json;
  readonly permissions?: unknown;
  readonly concurrency?: unknown;
  readonly 'continue-on-error'?: unknown;
  readonly 'timeout-minutes'?: unknown;
}

/** A workflow file being run: the run's own, or one that a job of it calls. */
export interface Scope {
  readonly active: ActiveRun;
  readonly source: Source;
  readonly path: string;
  readonly content: Json;
  readonly inputs: Json;
  readonly secrets: Readonly<Record<string, string>>;
  /** What its jobs get unless they say otherwise. */
  readonly permissions: Permissions;
  /** Before the names of its jobs: `lane (t1) / `. */
  readonly prefix: string;
  readonly caller: JobInstance | null;
  readonly groups: Map<string, JobGroup>;
  cancelled: boolean;
}

/** A job of the file; with a matrix it becomes several instances. */
export interface JobGroup {
  readonly id: string;
  readonly definition: JobDefinition;
  readonly scope: Scope;
  readonly needs: readonly string[];
  instances: JobInstance[];
  state: 'waiting' | 'open' | 'done';
  result: Result;
  outputs: Record<string, string>;
  /** Itself or one it needs, however far back, failed. */
  tainted: boolean;
}

export interface JobInstance {
  readonly group: JobGroup;
  readonly name: string;
  readonly matrix: Json;
  readonly index: number;
  readonly total: number;
  readonly record: JobRecord;
  /** The workflow it calls. */
  scope: Scope | null;
  state: 'new' | 'pending' | 'ready' | 'running' | 'done';
  result: Result;
  outputs: Record<string, string>;
  readonly abort: AbortController;
  release: () => void;
}

export interface ActiveRun {
  readonly run: Run;
  root: Scope | null;
  release: () => void;
  state: 'pending' | 'started' | 'done';
}

/** What a test looks at afterwards. */
export interface JobRecord {
  readonly runId: number;
  readonly workflow: string;
  readonly name: string;
  result: Result;
  permissions: Permissions;
  /** Names of those that its workflow was given. */
  readonly secrets: readonly string[];
  runsOn?: unknown;
  outputs: Record<string, string>;
  readonly steps: StepRecord[];
  /** Errors that are no step's. */
  readonly messages: string[];
}

interface StepRecord {
  readonly name: string;
  readonly uses: string;
  readonly outcome: Result;
  readonly exitCode: number;
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly annotations: StepResult['annotations'];
}

/** An action of the harness's own, in place of code from elsewhere. */
export interface StepCall {
  readonly github: Github;
  readonly inputs: Readonly<Record<string, string>>;
  readonly workspace: string;
  readonly temp: string;
  readonly token: string;
  readonly run: Run;
  readonly server: string;
}

export interface StepAnswer {
  readonly outputs?: Record<string, string>;
  readonly failed?: string;
  readonly post?: () => void | Promise<void>;
}

export type StepHandler = (call: StepCall) => StepAnswer | Promise<StepAnswer>;

interface Kill {
  readonly request: number;
  readonly phase: 'before' | 'after';
  /** Counts requests of this kind alone. */
  readonly operation?: string;
  readonly machine?: boolean;
}

export interface WorkflowOptions {
  readonly github: Github;
  /** Repositories named in `uses:`, as folders: `{'gza-dev/gza': '<repository root>'}`. */
  readonly repositories?: Readonly<Record<string, string>>;
  /** Tags and branches that those have; default `v1`. Commits they all have. */
  readonly refs?: readonly string[];
  /** Stand-ins for actions by `owner/name` or `owner/name/path`, before those of the harness. */
  readonly actions?: Readonly<Record<string, StepHandler>>;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly variables?: Readonly<Record<string, string>>;
  /** The node that actions run with. */
  readonly node?: string;
  /** Actions run in this process where they can (see in-process.ts), and not each in one of its own. */
  readonly inProcess?: boolean;
  /** Added to every job's environment; what a runner's image would bring. */
  readonly env?: Readonly<Record<string, string>>;
  /** Before PATH: fake `sudo`, fake agents. */
  readonly path?: string;
  /** How many jobs at once; 1 makes a run the same every time. */
  readonly parallel?: number;
  /** Which of the jobs that could start does; default the oldest. */
  readonly choose?: (ready: readonly JobInstance[]) => JobInstance | undefined;
  /** Ends a step's process at its n-th request; with `machine` the whole job, not even always() follows. */
  readonly kill?: (job: JobRecord, step: string) => Kill | undefined;
  /** Called when a step is about to begin; `lost`: the machine is gone, not even always() follows. */
  readonly beforeStep?: (job: JobRecord, step: string) => Promise<'lost' | undefined>;
  /** What a minute of `timeout-minutes` lasts; default a real one, for a test 100. */
  readonly minuteMs?: number;
  /** More runs than this is taken for a loop without end. Default 60. */
  readonly runsMax?: number;
  /** Stops at rest after so many runs; what is queued by then stays queued. */
  readonly stopAfter?: number;
}
