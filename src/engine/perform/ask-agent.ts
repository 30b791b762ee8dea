/**
 * Asks an agent one question: builds its environment and HOME, runs it under limits, and retries when the
 * connection to the model fails.
 */
import { statSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { agentEnvironment, type HeldKeys, holdKeys } from '../../agents/agent-environment.ts';
import { agentNamed } from '../../agents/agent-named.ts';
import type { Access, AgentAdapter } from '../../agents/agents.ts';
import { type AgentRun, commandLine, runAgent } from '../../agents/run-agent.ts';
import type { AgentConfig, Config } from '../../core/config/config.ts';
import { isGzaError } from '../../core/errors.ts';
import type { StepName } from '../../core/ledger/record/record.ts';
import { addModel, addUsage, type PriceTable } from '../../core/policy/cost.ts';
import { endings } from '../../core/policy/endings.ts';
import { stepNonce } from '../../core/review/read-review.ts';
import { isRecord } from '../../core/shape.ts';
import { whyFailed } from '../../core/system-error.ts';
import { agentLines, agentSecrets } from '../../core/text/doctor/caller-workflow.ts';
import { answerFileText, reviewSchema } from '../../core/text/review.ts';
import { readPlainFile } from '../../system/outside.ts';
import { objectFolders } from '../../workspace/clone-folder.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { changesFiles, isCommand, type StepJob } from '../engine.ts';
import { writeSession } from '../loop/state-dir.ts';
import type { PerformInput } from './perform.ts';

interface AskInput
  extends Pick<
    PerformInput,
    'job' | 'runner' | 'caller' | 'stateDir' | 'signal' | 'sleep' | 'onEvent' | 'onLine'
  > {
  readonly clone: SharedClone;
  readonly config: Config;
  readonly spool: string;
  /** A short question that is answered in text, without an answer file. */
  readonly isShort?: true;
}

export interface Asked {
  readonly run: AgentRun;
  readonly logPath: string;
  /** Secret values to remove from everything that is kept. */
  readonly secrets: readonly string[];
}

/** The step with its remaining budget and time after a run; null when nothing is left. */
export function leftAfter(job: StepJob, { result, process }: AgentRun): StepJob | null {
  const timeoutMinutes = job.timeoutMinutes - (process?.durationMs ?? 0) / 60_000;
  const budget = job.budgetUsd === undefined ? {} : { budgetUsd: job.budgetUsd - (result.costUsd ?? 0) };
  const isSpent = timeoutMinutes <= 0 || (budget.budgetUsd ?? 1) <= 0;
  return isSpent ? null : { ...job, ...budget, timeoutMinutes };
}

const outputBytesMax = 64 << 20;
const idleMinutesMax = 15;
/** Delays before the retries after a failed connection to the model. */
const retryDelaysMs = [5_000, 30_000, 120_000];

/** `freshPrompt` is for a new session, which does not know the earlier question. */
export async function askAgent(input: AskInput, prompt: string, freshPrompt = prompt): Promise<Asked> {
  const { job, config, clone, caller, stateDir, spool, signal } = input;
  const adapter = adapterFor(job.agent, config, input.runner);
  const own = config.agents[job.agent];
  const home = join(stateDir, 'homes', `${job.id}-${job.agent}`);
  const logPath = join(stateDir, 'logs', `${job.id}-${job.claim.slice(0, 8)}-${job.step}.log`);
  await mkdir(join(stateDir, 'logs'), { recursive: true });
  const allow = allowedFor(job.agent, config);
  const { answer, told, variables } = answerIn(input, adapter);
  const path = await pathWithShims(stateDir, caller);
  const set = { PATH: path, GZA_STEP: job.step, GZA_CYCLE: String(job.cycle), ...variables };
  const environment = agentEnvironment({ caller, adapter, home, allow, taskId: job.id, spool, set });
  const readable = await readableBy(own, stateDir, clone);
  const once = async ({ session, timeoutMinutes, budgetUsd }: StepJob) => {
    // An answer file left by an earlier try does not count.
    if (answer !== null) await rm(answer, { force: true, recursive: true });
    const timeoutMs = timeoutMinutes * 60_000;
    return runAgent({
      adapter,
      environment,
      request: {
        prompt: (session ? prompt : freshPrompt) + told,
        cwd: clone.treeDir,
        home,
        access: accessFor(job.step, own),
        model: job.model,
        ...(session ? { resume: session.id, sessionTotals: session.totals } : {}),
        maxTurns: job.maxTurns,
        budgetUsd,
        writable: [join(spool, '..')],
        ...(job.step === 'review' ? { outputSchema: reviewSchema } : {}),
        answerFile: answer ?? undefined,
      },
      limits: { timeoutMs, idleMs: Math.min(timeoutMs, idleMinutesMax * 60_000), outputBytesMax },
      sandbox: { ...config, caller },
      readable,
      logPath,
      prices: pricesOf(config, job),
      userHome: caller['HOME'],
      proxy: own?.proxy !== 'off',
      signal,
      ...(input.onEvent ? { onEvent: input.onEvent } : {}),
      ...(input.onLine ? { onLine: input.onLine } : {}),
    });
  };
  const { session: _session, ...afresh } = job;
  let run = await once(job);
  const again = async () => {
    const left = leftAfter(afresh, run);
    if (left && !signal.aborted) run = after(run, await once(left));
    return left !== null;
  };
  try {
    // If the session is lost or has grown too long, a new session does as well.
    if (job.session && /^(session|context)$/.test(run.result.kind)) await again();
    for (const delay of retryDelaysMs) {
      if (!endings[run.result.kind].passes || signal.aborted) break;
      await input.sleep(delay, signal);
      if (!(await again())) break;
    }
    const { sessionId, sessionTotals } = run.result;
    const session = sessionId ? { id: sessionId, clone: clone.record.name, totals: sessionTotals } : null;
    await writeSession(stateDir, job, session);
  } catch (thrown) {
    // The cost of the run is known here, and an error must not lose it.
    run = { ...run, result: { ...run.result, kind: 'crash', error: whyFailed(thrown) } };
  }
  if (answer !== null) run = await withAnswer(run, answer, told === '' ? 'GZA_ANSWER' : answer);
  return { run, logPath, secrets: environment.secrets };
}

/**
 * For a process that starts the agent's half as another user: that half gets stand-ins for the keys, which
 * stay here. It runs a proxy of its own in front of this one, and learns from this one when the budget of
 * the whole job is used up.
 */
export function holdJobKeys(
  job: StepJob,
  config: Config,
  caller: Readonly<Record<string, string | undefined>>,
): Promise<HeldKeys> {
  const adapter = adapterFor(job.agent, config, undefined);
  const allow = allowedFor(job.agent, config);
  const environment = agentEnvironment({ caller, adapter, home: '/', allow });
  const proxy = config.agents[job.agent]?.proxy !== 'off';
  return holdKeys({ adapter, environment, request: job, prices: pricesOf(config, job), proxy }, false);
}

/** Paths that the agent may read: `git tasks`, scripts of a configured command, and the shared objects. */
async function readableBy(own: AgentConfig | undefined, stateDir: string, { repository }: SharedClone) {
  const isFile = (word: string) =>
    isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true;
  const scripts = (own?.command ?? []).filter(isFile);
  return [join(stateDir, 'bin'), ...scripts, ...(await objectFolders(repository.objectsDir))];
}

/** Variables that the configuration lets an agent have, in addition to its own. */
function allowedFor(name: string, { env, agents }: Config): readonly string[] {
  return [...env, ...(agents[name]?.env ?? [])];
}

/** The later run, with the usage of both. */
function after({ result: before, process: first }: AgentRun, run: AgentRun): AgentRun {
  const { usage, costUsd, turns, unpriced = {}, pricedAsOf = before.pricedAsOf } = run.result;
  const isPriced = costUsd !== null || before.costUsd !== null;
  const durationMs = (first?.durationMs ?? 0) + (run.process?.durationMs ?? 0);
  return {
    ...run,
    ...(run.process ? { process: { ...run.process, durationMs } } : {}),
    result: {
      ...run.result,
      turns: before.turns + turns,
      usage: usage && before.usage ? addUsage(before.usage, usage) : (usage ?? before.usage),
      costUsd: isPriced ? (before.costUsd ?? 0) + (costUsd ?? 0) : null,
      unpriced: Object.entries(unpriced).reduce(
        (models, [model, more]) => addModel(models, model, more),
        before.unpriced ?? {},
      ),
      pricedAsOf,
    },
  };
}

export function adapterFor(name: string, config: Config, runner: string | undefined) {
  if (name === 'runner' && runner !== undefined) return agentNamed('runner', { command: runner });
  const own = config.agents[name];
  if (!own?.command) return agentNamed(name);
  return agentNamed(name, { command: own.command, promptVia: own.prompt_via });
}

/** In a throw-away clone an agent may do what it needs. Steps that only read may not write. */
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

/** The agent's own prices apply to the requested model, and to every model without another price. */
export function pricesOf(
  { prices, agents }: Pick<Config, 'prices' | 'agents'>,
  { agent, model }: Pick<StepJob, 'agent' | 'model'>,
): PriceTable {
  const own = agents[agent]?.prices;
  const all = own ? { ...prices, '': own, ...(model === undefined ? {} : { [model]: own }) } : prices;
  return Object.fromEntries(
    Object.entries(all).map(([name, { input = 0, output = 0, cached_input }]) => [
      name,
      { input, output, ...(cached_input === undefined ? {} : { cached_input }) },
    ]),
  );
}

/** Puts `gza` and `git tasks` on the agent's PATH, whether installed or not. Returns that PATH. */
export async function pathWithShims(
  stateDir: string,
  caller: Readonly<Record<string, string | undefined>>,
  program: string = commandLine,
): Promise<string> {
  const dir = join(stateDir, 'bin');
  await mkdir(dir, { recursive: true });
  for (const name of ['gza', 'git-tasks']) {
    const file = join(dir, name);
    await writeFile(file, `#!/bin/sh\nexec ${quote(process.execPath)} ${quote(program)} "$@"\n`);
    await chmod(file, 0o755);
  }
  return [dir, caller['PATH'] ?? ''].join(delimiter);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The secrets of the workflow that concern an agent. */
interface AgentSecrets {
  /** Secrets that the agent gets. */
  readonly given: readonly string[];
  /** Secrets that it could log in with, but that it gets only if the configuration names them. */
  readonly others: readonly string[];
}

export function agentSecretsFor(agent: string, config: Config): AgentSecrets {
  const { keyNames, secretNames } = namesOf(agent, config);
  const names = new Set([...keyNames, ...allowedFor(agent, config)]);
  const hasMore = [...names].some((name) => !agentSecrets.includes(name));
  return {
    given: [...agentSecrets.filter((name) => names.has(name)), ...(hasMore ? [agentLines] : [])],
    others: agentSecrets.filter((name) => secretNames.includes(name) && !names.has(name)),
  };
}

/** An unknown agent has no names; its own job reports the problem. */
function namesOf(agent: string, config: Config): Record<'keyNames' | 'secretNames', readonly string[]> {
  try {
    return adapterFor(agent, config, undefined);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return { keyNames: [], secretNames: [] };
  }
}

/** Size limit of the file in which agents without an option for a schema may answer a review. */
const answerBytesMax = 1 << 20;

/** The file is next to the spool: outside the work tree, and writable for the agent. */
function answerFile(spool: string): string {
  return join(dirname(spool), 'answer.json');
}

/** Whether this agent answers in a file, and how it learns the path: by its prompt or its variables. */
function answerIn({ job, config, spool, isShort }: AskInput, { writesAnswer }: AgentAdapter) {
  const answer = answerFile(spool);
  if (job.step === 'review' && isCommand(job.agent, config))
    return { answer, told: '', variables: { GZA_NONCE: stepNonce(job), GZA_ANSWER: answer } };
  const isOffered = job.step === 'review' && writesAnswer === true && isShort !== true;
  return isOffered
    ? { answer, told: `\n\n${answerFileText(answer)}`, variables: {} }
    : { answer: null, told: '', variables: {} };
}

/** Adds the answer in the file to the run, as if it had been given under a schema. The file is removed. */
async function withAnswer(run: AgentRun, file: string, name: string): Promise<AgentRun> {
  try {
    const bytes = await readPlainFile(file, answerBytesMax);
    if (bytes === null) return run;
    const structured: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isRecord(structured)) throw new Error('it is no JSON object');
    // The answer is in the file, so empty output is no failure.
    const kind = run.result.kind === 'empty' ? ({ kind: 'ok', error: undefined } as const) : {};
    return { ...run, result: { ...run.result, ...kind, structured } };
  } catch (thrown) {
    // Part of the answer, so that it cannot approve, and the second question says what was wrong.
    const text = `${run.result.text}\n\nThis review is incomplete: its answer in ${name} cannot be read (${whyFailed(thrown)}).`;
    return { ...run, result: { ...run.result, text } };
  } finally {
    await rm(file, { force: true, recursive: true });
  }
}
