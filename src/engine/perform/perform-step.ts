/** The part of a step that an untrusted agent does: a clone, a built environment, one run, and what it left. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import { agentNamed } from '../../agents/agent-named.ts';
import type { Access, AgentEvent, ResultKind } from '../../agents/agents.ts';
import { type AgentRun, runAgent } from '../../agents/run-agent.ts';
import type { AgentConfig, Config } from '../../core/config/config.ts';
import type { StepName } from '../../core/ledger/record/record.ts';
import { addUsage, type PriceTable } from '../../core/policy/price.ts';
import { stepNonce } from '../../core/review/step-nonce.ts';
import { whyFailed } from '../../core/system-error.ts';
import { reviewSchema } from '../../core/text/review.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import type { StepJob } from '../engine.ts';
import { changesFiles } from '../step/settings-of-view.ts';
import { pathWithShims } from './agent-shims.ts';
import { writeSession } from './session-file.ts';

export interface PerformInput {
  readonly job: StepJob;
  readonly prompt: string;
  /** In place of `prompt` where no session is gone on with, which knows what it was asked before. */
  readonly freshPrompt?: string;
  readonly clone: SharedClone;
  readonly config: Config;
  /** A command line of the person's own, for the agent named `runner`. */
  readonly runner?: string;
  /** This program's environment, from which the agent's is built. */
  readonly caller: Readonly<Record<string, string | undefined>>;
  /** `.gza` of the repository: logs, homes, spools. */
  readonly stateDir: string;
  readonly spool: string;
  readonly signal: AbortSignal;
  readonly onEvent?: (event: AgentEvent) => void;
  readonly onLine?: (line: string) => void;
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Performed {
  readonly run: AgentRun;
  readonly logPath: string;
  /** Secret values that must not be seen in what is kept of it. */
  readonly secrets: readonly string[];
}

const outputBytesMax = 64 << 20;
const idleMinutesMax = 15;
/** Tries beside the first, for failures of the way to the model; each waits longer. */
const retryDelaysMs = [5_000, 30_000];
const passing: ReadonlySet<ResultKind> = new Set(['overloaded', 'server', 'network']);

export async function performStep(input: PerformInput): Promise<Performed> {
  const { job, config, clone, caller, stateDir, spool, signal } = input;
  const adapter = adapterFor(job.agent, config, input.runner);
  const own = config.agents[job.agent];
  const home = join(stateDir, 'homes', `${job.id}-${job.agent}`);
  const logPath = join(stateDir, 'logs', `${job.id}-${job.claim.slice(0, 8)}-${job.step}.log`);
  await mkdir(join(stateDir, 'logs'), { recursive: true });
  const allow = allowedFor(job.agent, config);
  const set = {
    PATH: await pathWithShims(stateDir, caller),
    GZA_STEP: job.step,
    GZA_CYCLE: String(job.cycle),
    ...(job.step === 'review' && isCommand(job.agent, config) ? { GZA_NONCE: stepNonce(job) } : {}),
  };
  const environment = agentEnvironment({ caller, adapter, home, allow, taskId: job.id, spool, set });
  const timeoutMs = job.timeoutMinutes * 60_000;
  const once = (session: StepJob['session']) =>
    runAgent({
      adapter,
      environment,
      request: {
        prompt: session ? input.prompt : (input.freshPrompt ?? input.prompt),
        cwd: clone.treeDir,
        home,
        access: accessFor(job.step, own),
        model: job.model,
        ...(session ? { resume: session.id, sessionTotals: session.totals } : {}),
        maxTurns: job.maxTurns,
        budgetUsd: job.budgetUsd,
        writable: [join(spool, '..')],
        ...(job.step === 'review' ? { outputSchema: reviewSchema } : {}),
      },
      limits: { timeoutMs, idleMs: Math.min(timeoutMs, idleMinutesMax * 60_000), outputBytesMax },
      logPath,
      prices: pricesOf(config, job),
      userHome: caller['HOME'],
      signal,
      ...(input.onEvent ? { onEvent: input.onEvent } : {}),
      ...(input.onLine ? { onLine: input.onLine } : {}),
    });
  let run = await once(job.session);
  try {
    // Gone with its machine or its time: a fresh one does as well.
    if (job.session && run.result.kind === 'session' && !signal.aborted)
      run = after(run, await once(undefined));
    for (const delay of retryDelaysMs) {
      if (!passing.has(run.result.kind) || signal.aborted) break;
      await input.sleep(delay, signal);
      if (!signal.aborted) run = after(run, await once(undefined));
    }
    const { sessionId, sessionTotals } = run.result;
    const session = sessionId ? { id: sessionId, clone: clone.record.name, totals: sessionTotals } : null;
    await writeSession(stateDir, job, session);
  } catch (thrown) {
    // What it cost is known by now, and must not be lost.
    run = { ...run, result: { ...run.result, kind: 'crash', error: whyFailed(thrown) } };
  }
  return { run, logPath, secrets: environment.secrets };
}

/** A command line of somebody's own: it answers in text alone, and may not read its prompt. */
export function isCommand(name: string, { agents }: Config): boolean {
  return name === 'runner' || agents[name]?.command !== undefined;
}

/** Variables that the configuration lets through to an agent, beside its own. */
export function allowedFor(name: string, { env, agents }: Config): readonly string[] {
  return [...env, ...(agents[name]?.env ?? [])];
}

/** The later run, with what both used. */
function after({ result: before }: AgentRun, run: AgentRun): AgentRun {
  const { usage, costUsd, turns } = run.result;
  const isPriced = costUsd !== null || before.costUsd !== null;
  return {
    ...run,
    result: {
      ...run.result,
      turns: before.turns + turns,
      usage: usage && before.usage ? addUsage(before.usage, usage) : (usage ?? before.usage),
      costUsd: isPriced ? (before.costUsd ?? 0) + (costUsd ?? 0) : null,
    },
  };
}

export function adapterFor(name: string, config: Config, runner: string | undefined) {
  if (name === 'runner' && runner !== undefined) return agentNamed('runner', { command: runner });
  const own = config.agents[name];
  if (!own?.command) return agentNamed(name);
  return agentNamed(name, { command: own.command, promptVia: own.prompt_via });
}

/** In a throw-away clone an agent may do what it needs; who only looks must not write. */
function accessFor(step: StepName, own: AgentConfig | undefined): Access {
  if (!changesFiles(step)) return 'read-only';
  switch (own?.access) {
    case 'read':
      return 'read-only';
    case 'workspace':
      return 'edit';
    case 'full':
    case undefined:
      return 'full';
  }
}

function pricesOf({ prices, agents }: Config, job: StepJob): PriceTable {
  const own = agents[job.agent]?.prices;
  const all = own && job.model !== undefined ? { ...prices, [job.model]: own } : prices;
  return Object.fromEntries(
    Object.entries(all).map(([model, { input = 0, output = 0, cached_input }]) => [
      model,
      { input, output, ...(cached_input === undefined ? {} : { cached_input }) },
    ]),
  );
}
