/**
 * A step in two halves. The agent's job goes through the whole step but only writes down what an agent left; the
 * landing job goes through the same step with what was written down, so that both judge by the same code.
 */

import type { AgentResult } from '../../agents/agents.ts';
import { redactSpool } from '../../agents/redact-spool.ts';
import type { Verification } from '../../core/checks/verification.ts';
import { GzaError } from '../../core/errors.ts';
import type { Usage } from '../../core/policy/price.ts';
import type { Performed } from '../../engine/perform/perform-step.ts';
import type { StepParts } from '../../engine/step/step-parts.ts';
import { partsHere } from '../../engine/step/step-parts.ts';
import { redact } from '../../system/redact.ts';
import type { CollectedPatch } from '../../workspace/patch/collect-patch.ts';
import { discardClone } from '../../workspace/remove-clone.ts';
import { countMax, dollarsMax, type Left, type RunLeft, type StepLeft } from './step-left.ts';

export interface Recording {
  readonly runs: RunLeft[];
  spool: { readonly text: string; readonly isCut: boolean };
  collected: CollectedPatch | null;
  discarded: readonly string[];
  /** Values that the agent knew. */
  secrets: readonly string[];
  /** Why what it left could not be taken. */
  broken: string | null;
}

export function newRecording(): Recording {
  return {
    runs: [],
    spool: { text: '', isCut: false },
    collected: null,
    discarded: [],
    secrets: [],
    broken: null,
  };
}

const untouched: Verification = { ok: true, checks: [] };

/** Checks are the next job's: here they would only say what an agent's machine says. */
export function recordingParts(recording: Recording): StepParts {
  return {
    perform: async (input) => {
      const performed = await partsHere.perform(input);
      recording.runs.push(runLeft(performed));
      recording.secrets = performed.secrets;
      return performed;
    },
    spool: async (path) => {
      const more = await partsHere.spool(path);
      const { text, isCut } = recording.spool;
      recording.spool = {
        text: text + redactSpool(more.text, recording.secrets),
        isCut: isCut || more.isCut,
      };
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
const pathMax = 5_000;

function runLeft({ run: { result, agent }, secrets }: Performed): RunLeft {
  const clean = (text: string, max: number) => redact(text, secrets).slice(0, max);
  const { kind, turns, usage, costUsd, error, resetAt, sessionId } = result;
  return {
    agent: {
      name: agent.name.slice(0, 200),
      ...(agent.version === undefined ? {} : { version: agent.version.slice(0, 200) }),
    },
    kind,
    text: clean(result.text, textMax),
    turns: bounded(turns, countMax),
    usage: usage && boundedUsage(usage),
    costUsd: costUsd === null ? null : bounded(costUsd, dollarsMax),
    ...(error === undefined ? {} : { error: clean(error, errorMax) }),
    ...(resetAt === undefined || Number.isNaN(Date.parse(resetAt))
      ? {}
      : { resetAt: new Date(resetAt).toISOString() }),
    ...(sessionId === undefined ? {} : { sessionId: sessionId.slice(0, 500) }),
  };
}

/** An agent may print any number; one that is none must not make all of it unreadable. */
function bounded(number: number, max: number): number {
  return Number.isFinite(number) ? Math.min(Math.max(number, 0), max) : 0;
}

function boundedUsage({ input, cachedInput, output, reasoning }: Usage): Usage {
  const count = (number: number) => bounded(number, countMax);
  return {
    input: count(input),
    cachedInput: count(cachedInput),
    output: count(output),
    reasoning: count(reasoning),
  };
}

export function leftOf(
  recording: Recording,
  step: Pick<StepLeft, 'task' | 'claim' | 'step' | 'started_at' | 'ended_at'>,
): Left {
  const { runs, spool, collected, discarded, broken } = recording;
  const left: StepLeft = {
    v: 1,
    ...step,
    runs: runs.slice(0, 4),
    spool_cut: spool.isCut,
    skipped: (collected?.skipped ?? [])
      .slice(0, 200)
      .map(({ path, why }) => ({ path: path.slice(0, pathMax), why })),
    skipped_count: collected?.skippedCount ?? 0,
    discarded: discarded.slice(0, 200).map((path) => path.slice(0, pathMax)),
    ...(broken === null ? {} : { broken: broken.slice(0, 2000) }),
    ...(collected?.kind === 'too-large' ? { too_large: collected.why.slice(0, 2000) } : {}),
  };
  return { left, patch: collected?.kind === 'patch' ? collected.patch : null, spool: spool.text };
}

/** `verification`: what the job that checked it came to. */
export function replayedParts({ left, patch, spool }: Left, verification: Verification | null): StepParts {
  const runs = [...left.runs];
  let last = runs[0];
  let said = false;
  const unlessBroken = (isOver: boolean) => {
    if (left.broken !== undefined && isOver) throw new GzaError('world', left.broken);
  };
  return {
    perform: async () => {
      unlessBroken(last !== undefined && runs.length === 0);
      last = runs.shift() ?? last;
      return performedOf(last);
    },
    spool: async () => {
      // Where it broke on the other machine; here nothing comes after it.
      unlessBroken(true);
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
  const { skipped, skipped_count: skippedCount, too_large: why } = left;
  const rest = { skipped, skippedCount };
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
  const result: AgentResult = { ...rest, denials: [] };
  return { run: { result, agent, warnings: [] }, logPath: '', secrets: [] };
}
