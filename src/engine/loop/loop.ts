/** What one `gza work` remembers while it runs. Everything that must outlive it is in the ledgers. */
import type { Ports } from '../../app/command.ts';
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { RunChoice } from '../engine.ts';
import type { Teller } from './progress-lines.ts';

export interface WorkRequest {
  /** `next`: the first ready task to the end of its loop. */
  readonly scope: 'next' | 'all' | readonly string[];
  readonly group?: string;
  readonly choice: RunChoice;
  readonly offline: boolean;
  readonly push: boolean;
  /** Ends instead of waiting for an agent's limit. */
  readonly noWait?: boolean;
}

export interface WorkPorts extends Ports {
  readonly say: (line: string) => void;
  /** What a running task does just now; null when it does nothing any more. */
  readonly live: (id: string, line: string | null) => void;
  /** Aborted when running agents must stop now; `signal` only starts nothing new. */
  readonly stopNow: AbortSignal;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Tells the remote what was recorded of a branch, or of none in particular, where that is wanted. */
  readonly share?: (branch: string | null) => Promise<void>;
}

export interface Worked {
  readonly id: string;
  readonly step: string;
  readonly agent: string;
  readonly outcome: string;
  readonly seconds: number;
  readonly reserved_usd: number;
  readonly cost_usd: number;
  /** Tokens that are not in the cost. */
  readonly unpriced_tokens: number;
}

export type Stopped = 'done' | 'interrupted' | 'limit';

export interface WorkResult {
  readonly steps: readonly Worked[];
  readonly tasks: readonly string[];
  readonly project: Project;
  /** Tasks that could not be started, and why. */
  readonly refused: ReadonlyMap<string, string>;
  /** Tasks that could go on but for a limit: of time, money, agents or others' files. */
  readonly waits: ReadonlyMap<string, string>;
  /** When the first of them may go on, where that is known. */
  readonly nextAt: string | null;
  readonly stopped: Stopped;
}

export interface Loop {
  readonly request: WorkRequest;
  readonly ports: WorkPorts;
  readonly workspace: Workspace;
  readonly teller: Teller;
  readonly running: Map<string, Promise<void>>;
  readonly tasks: Set<string>;
  /** Ended without a step of this run. */
  readonly ended: Set<string>;
  readonly steps: Worked[];
  readonly refused: Map<string, string>;
  /** Agents that cannot run here, and why: no task's fault. */
  readonly unusable: Map<string, string>;
  /** As Front has it. */
  readonly acted: Map<string, number>;
  scope: Set<string> | null;
  failure: unknown;
  project: Project;
}

/** Dollars that this run has cost so far. */
export function spentBy({ steps }: Pick<Loop, 'steps'>): number {
  return steps.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
}

/** In the scope of this run, or a review that a task of it asked for. */
export function isWanted(loop: Loop, view: TaskView): boolean {
  const { scope, request, tasks } = loop;
  if (request.group !== undefined && view.task.group !== request.group) return false;
  if (scope === null) return request.scope === 'all' || tasks.size === 0;
  const of = reviewedBy(view);
  return scope.has(view.id) || (of !== undefined && scope.has(of));
}

/** The task that asked for this review when it was done. */
export function reviewedBy({ record, task }: TaskView): string | undefined {
  return record?.key?.startsWith('review of ') ? task.depends_on?.[0] : undefined;
}
