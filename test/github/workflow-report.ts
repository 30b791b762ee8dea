/** What a test looks at after the workflows came to rest. */
import type { Run } from './state.ts';
import type { Groups } from './workflow-groups.ts';
import type { ActiveRun, JobInstance, JobRecord, WorkflowOptions } from './workflow-types.ts';

export interface WorkflowReport {
  readonly runs: readonly Run[];
  readonly jobs: readonly JobRecord[];
  /** The one job with this name; throws, with all names, when there is none or more than one. */
  job(name: string): JobRecord;
  /** Everything that happened, for the message of a failing test. */
  transcript(): string;
}

export interface Engine {
  readonly options: WorkflowOptions;
  readonly temp: string;
  readonly groups: Groups;
  readonly active: ActiveRun[];
  readonly jobs: JobRecord[];
  readonly running: Map<JobInstance, Promise<void>>;
}

export function report(engine: Engine): WorkflowReport {
  const { jobs } = engine;
  return {
    runs: engine.active.map((one) => one.run),
    jobs,
    job(name) {
      const found = jobs.filter((one) => one.name === name);
      const [only] = found;
      if (!only || found.length > 1)
        throw new Error(
          `${found.length} jobs are named ${name}; there are: ${jobs.map((one) => one.name).join(', ')}`,
        );
      return only;
    },
    transcript: () =>
      [
        ...engine.active.map(
          ({ run }) =>
            `run ${run.id} ${run.workflow} ${run.event} by ${run.actor}: ${run.status} ${run.conclusion} ${run.message ?? ''}`,
        ),
        ...jobs.flatMap((job) => [
          `job ${job.runId} ${job.name}: ${job.result} ${job.messages.join('; ')}`,
          ...job.steps.map(
            (step) =>
              `  ${step.outcome} ${step.name}${step.log ? `\n${step.log.replace(/^/gm, '    ')}` : ''}`,
          ),
        ]),
      ].join('\n'),
  };
}
