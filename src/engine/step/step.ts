/** A step while it runs, and what it came to: shared by those that change files and those that leave a text. */
import type { AgentEvent } from '../../agents/agents.ts';
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { StepRecord } from '../../core/ledger/record/record.ts';
import type { SpoolReading } from '../../core/spool/spool.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import type { StepJob } from '../engine.ts';
import type { Judged } from './step-outcome.ts';
import type { StepParts } from './step-parts.ts';

export interface RunStepInput {
  readonly project: Project;
  /** With all texts. */
  readonly view: TaskView;
  readonly job: StepJob;
  readonly workspace: Workspace;
  readonly runner?: string;
  /** Who does its parts; default all of it here. */
  readonly parts?: StepParts;
  readonly caller: Readonly<Record<string, string | undefined>>;
  readonly stateDir: string;
  readonly now: () => string;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
  readonly onLine?: (line: string) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Step {
  readonly input: RunStepInput;
  readonly parts: StepParts;
  readonly clone: SharedClone;
  /** The file that the agent's own commands write to. */
  readonly spool: string;
  readonly started_at: string;
}

/** What a step came to, as plain data for record-step.ts. */
export interface StepReport {
  readonly record: StepRecord;
  readonly judged: Judged;
  /** The new head of the lane's branch, when files were saved. */
  readonly commit: string | null;
  readonly artifacts: readonly { readonly path: string; readonly text: string }[];
  /** For the record and for who watches. */
  readonly notes: readonly string[];
  /** For the record alone. */
  readonly remarks: readonly string[];
  readonly spool: SpoolReading;
  readonly gist: string;
  readonly logPath: string;
}

export interface StepRun {
  readonly report: StepReport;
  /** To be removed once the report is recorded: until then it may be the only place that holds the work. */
  readonly clone: SharedClone | null;
  /** Why it could not be concluded, when that was so. */
  readonly broken?: string;
}
