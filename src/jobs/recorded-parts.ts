/**
 * A step in two halves. The agent's job goes through the whole step but only writes down what an agent left; the
 * landing job goes through the same step with what was written down, so that both judge by the same code.
 */

import type { AgentResult } from '../agents/agents.ts';
import { redact } from '../agents/redact.ts';
import type { Verification } from '../core/verification.ts';
import type { StepParts } from '../engine/step-parts.ts';
import { partsHere } from '../engine/step-parts.ts';
import type { Performed } from '../steps/perform-step.ts';
import type { CollectedPatch } from '../workspace/collect-patch.ts';
import { discardClone } from '../workspace/remove-clone.ts';
import type { Left, RunLeft, StepLeft } from './step-left.ts';

export interface Recording {
  readonly runs: RunLeft[];
  spool: { readonly text: string; readonly isCut: boolean };
  collected: CollectedPatch | null;
  discarded: readonly string[];
}

export function newRecording(): Recording {
  return { runs: [], spool: { text: '', isCut: false }, collected: null, discarded: [] };
}

const untouched: Verification = { ok: true, checks: [] };

/** Checks are the next job's: here they would only say what an agent's machine says. */
export function recordingParts(recording: Recording): StepParts {
  return {
    perform: async (input) => {
      const performed = await partsHere.perform(input);
      recording.runs.push(runLeft(performed));
      return performed;
    },
    spool: async (path) => {
      const more = await partsHere.spool(path);
      const { text, isCut } = recording.spool;
      recording.spool = { text: text + more.text, isCut: isCut || more.isCut };
      return more;
    },
    verify: async () => untouched,
    collect: async (clone, policy) => {
      recording.collected = await partsHere.collect(clone, policy);
      return recording.collected;
    },
    filePlan: async () => ({ kind: 'later' }),
    discard: async (clone) => {
      const found = await discardClone(clone);
      recording.discarded = found.discarded;
      return found;
    },
  };
}

/** More than a text that can approve may have: one that is cut here never does. */
const textMax = 1_000_000;
const errorMax = 100_000;

function runLeft({ run: { result, agent }, secrets }: Performed): RunLeft {
  const clean = (text: string, max: number) => redact(text, secrets).slice(0, max);
  const { kind, turns, usage, costUsd, error, resetAt, sessionId } = result;
  return {
    agent: {
      name: agent.name,
      ...(agent.version === undefined ? {} : { version: agent.version.slice(0, 200) }),
    },
    kind,
    text: clean(result.text, textMax),
    turns,
    usage: usage && { ...usage },
    costUsd,
    ...(error === undefined ? {} : { error: clean(error, errorMax) }),
    ...(resetAt === undefined ? {} : { resetAt }),
    ...(sessionId === undefined ? {} : { sessionId: sessionId.slice(0, 500) }),
  };
}

export function leftOf(
  recording: Recording,
  step: Pick<StepLeft, 'task' | 'claim' | 'step' | 'started_at' | 'ended_at'>,
): Left {
  const { runs, spool, collected, discarded } = recording;
  const subjects = collected && 'subjects' in collected ? collected.subjects : [];
  const left: StepLeft = {
    v: 1,
    ...step,
    runs: runs.slice(0, 4),
    spool_cut: spool.isCut,
    subjects: subjects.slice(0, 200).map((subject) => subject.slice(0, 2000)),
    skipped: (collected?.skipped ?? []).slice(0, 200).map(({ path, why }) => ({ path, why })),
    skipped_count: collected?.skippedCount ?? 0,
    discarded: discarded.slice(0, 200),
    ...(collected?.kind === 'too-large' ? { too_large: collected.why.slice(0, 2000) } : {}),
  };
  return { left, patch: collected?.kind === 'patch' ? collected.patch : null, spool: spool.text };
}

/** `verification`: what the job that checked it came to. */
export function replayedParts({ left, patch, spool }: Left, verification: Verification | null): StepParts {
  const runs = [...left.runs];
  let last = runs[0];
  let said = false;
  return {
    perform: async () => {
      last = runs.shift() ?? last;
      return performedOf(last);
    },
    spool: async () => {
      const text = said ? '' : spool;
      said = true;
      return { text, isCut: left.spool_cut };
    },
    verify: async () => verification ?? untouched,
    collect: async () => collectedOf(left, patch),
    keptIn: 'the artifact of the run',
    filePlan: partsHere.filePlan,
    discard: async (clone) => {
      await discardClone(clone);
      return { discarded: left.discarded };
    },
  };
}

function collectedOf(left: StepLeft, patch: Buffer | null): CollectedPatch {
  const { subjects, skipped, skipped_count: skippedCount, too_large: why } = left;
  const rest = { subjects, skipped, skippedCount };
  if (why !== undefined) return { kind: 'too-large', why, ...rest };
  return patch ? { kind: 'patch', patch, ...rest } : { kind: 'empty', ...rest };
}

const neverRan: RunLeft = {
  agent: { name: 'agent' },
  kind: 'crash',
  text: '',
  error: 'its job left no result of a run',
  turns: 0,
  usage: null,
  costUsd: null,
};

function performedOf(run: RunLeft = neverRan): Performed {
  const { agent, ...rest } = run;
  const result: AgentResult = {
    ...rest,
    retryable: false,
    costFrom: run.costUsd === null ? 'none' : 'agent',
    denials: [],
  };
  return { run: { result, agent, warnings: [] }, logPath: '', secrets: [] };
}
