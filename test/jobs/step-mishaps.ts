/** What goes wrong between the requests: machines that are lost before a step, runs cancelled there, bad artifacts. */
import { createHash } from 'node:crypto';
import type { Github } from '../github/github.ts';
import type { JobRecord, WorkflowOptions } from '../github/workflow-types.ts';
import { readZip, writeZip } from '../github/zip.ts';
import { cancel, jobOf, type Mishap } from './mishap.ts';

type Before = (github: Github, job: JobRecord) => 'lost' | undefined | Promise<undefined>;

interface StepMishap {
  readonly meets: (step: string) => boolean;
  readonly before: Before;
}

const isDownload = (step: string) => step.startsWith('actions/download-artifact@');

export const stepMishaps: Readonly<Record<string, StepMishap>> = {
  'a lost machine': { meets: () => true, before: () => 'lost' },
  'a run cancelled between steps': {
    meets: () => true,
    before: async (github, { runId }) => {
      await cancel(github, runId);
      return undefined;
    },
  },
  'an artifact that is gone': {
    meets: isDownload,
    before: ({ state }, { runId }) => {
      for (const one of state.artifacts) if (one.run === runId) one.expired = true;
      return undefined;
    },
  },
  'an artifact with a wrong digest': {
    meets: isDownload,
    before: (github, job) =>
      changeArtifacts(github, job, (zip) => Buffer.concat([zip, Buffer.from('more')]), false),
  },
  'an artifact cut in half': {
    meets: isDownload,
    before: (github, job) =>
      changeArtifacts(github, job, (zip) =>
        writeZip(readZip(zip).map(({ name, data }) => ({ name, data: data.subarray(0, data.length >> 1) }))),
      ),
  },
  'an artifact of nothing': {
    meets: isDownload,
    before: (github, job) => changeArtifacts(github, job, () => writeZip([])),
  },
};

function changeArtifacts(
  { state }: Github,
  { runId }: JobRecord,
  change: (zip: Buffer) => Buffer,
  isSealed = true,
): undefined {
  state.artifacts = state.artifacts.map((one) => {
    if (one.run !== runId) return one;
    const zip = change(one.zip);
    return { ...one, zip, digest: isSealed ? createHash('sha256').update(zip).digest('hex') : one.digest };
  });
}

/** Once, when the n-th step of such a job is about to begin. */
export function beforeStep(
  github: Github,
  { index, seen }: Mishap,
  { before }: StepMishap,
): NonNullable<WorkflowOptions['beforeStep']> {
  // Meets no request: it stands among those that did not happen until the step has come.
  const happened = github.faults.add({ match: { where: () => false }, effect: { kind: 'drop' } });
  let steps = 0;
  return async (job) => {
    if (jobOf({ job: job.name }) !== jobOf(seen) || steps > index) return undefined;
    steps += 1;
    if (steps <= index) return undefined;
    happened();
    return before(github, job);
  };
}
