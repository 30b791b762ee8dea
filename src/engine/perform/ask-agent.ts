/** One question to an agent: a built environment and HOME, one run with its limits, and again where the way to the model failed. */
import { statSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { agentEnvironment } from '../../agents/agent-environment.ts';
import { agentNamed } from '../../agents/agent-named.ts';
import type { Access, AgentAdapter } from '../../agents/agents.ts';
import { type HeldKeys, holdKeys } from '../../agents/proxy/hold-keys.ts';
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
  /** A short question, which is answered in words. */
  readonly isShort?: true;
}

export interface Asked {
  readonly run: AgentRun;
  readonly logPath: string;
  /** Secret values that must not be seen in what is kept of it. */
  readonly secrets: readonly string[];
}

/** What a step may still cost and take after a run of its agent; null when nothing is left. */
export function leftAfter(job: StepJob, { result, process }: AgentRun): StepJob | null {
  const timeoutMinutes = job.timeoutMinutes - (process?.durationMs ?? 0) / 60_000;
  const budget = job.budgetUsd === undefined ? {} : { budgetUsd: job.budgetUsd - (result.costUsd ?? 0) };
  const isSpent = timeoutMinutes <= 0 || (budget.budgetUsd ?? 1) <= 0;
  return isSpent ? null : { ...job, ...budget, timeoutMinutes };
}

const outputBytesMax = 64 << 20;
const idleMinutesMax = 15;
/** Tries beside the first, for failures of the way to the model; each waits longer. */
const retryDelaysMs = [5_000, 30_000, 120_000];

/** `freshPrompt`: where no session is gone on with, which knows what it was asked before. */
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
    // What a try before it left is not its answer.
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
    // Gone with its machine or its time, or too long by now: a fresh one does as well.
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
    // What it cost is known by now, and must not be lost.
    run = { ...run, result: { ...run.result, kind: 'crash', error: whyFailed(thrown) } };
  }
  if (answer !== null) run = await withAnswer(run, answer, told === '' ? 'GZA_ANSWER' : answer);
  return { run, logPath, secrets: environment.secrets };
}

/**
 * For a process that starts another user's: what the agent's half is given in the place of its keys, which stay here.
 * The half puts a proxy of its own before this one, and is told by it when the budget of the whole job is used up.
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

/** `git tasks`, scripts that a command of one's own names, and the objects that the clone shares. */
async function readableBy(own: AgentConfig | undefined, stateDir: string, { repository }: SharedClone) {
  const isFile = (word: string) =>
    isAbsolute(word) && statSync(word, { throwIfNoEntry: false })?.isFile() === true;
  const scripts = (own?.command ?? []).filter(isFile);
  return [join(stateDir, 'bin'), ...scripts, ...(await objectFolders(repository.objectsDir))];
}

/** Variables that the configuration lets through to an agent, beside its own. */
function allowedFor(name: string, { env, agents }: Config): readonly string[] {
  return [...env, ...(agents[name]?.env ?? [])];
}

/** The later run, with what both used. */
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

/** The agent's own prices are for the model that was asked for, and for all that no other price is set for. */
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

/** `gza` and `git tasks` for the shells of an agent, whether or not they are installed: the PATH to give to it. */
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

/** Which of the secrets that the workflow hands on reach an agent. */
interface AgentSecrets {
  /** That it is given. */
  readonly given: readonly string[];
  /** That would let it in, and that it is given only where the configuration names them. */
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

/** An agent that nobody knows has none; its own job says so. */
function namesOf(agent: string, config: Config): Record<'keyNames' | 'secretNames', readonly string[]> {
  try {
    return adapterFor(agent, config, undefined);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return { keyNames: [], secretNames: [] };
  }
}

/** The file in which the answer of a review may be given, where no flag holds the agent to a schema. */
const answerBytesMax = 1 << 20;

/** Beside the spool: outside of the work tree, and writable for the agent. */
function answerFile(spool: string): string {
  return join(dirname(spool), 'answer.json');
}

/** Whether this one answers in a file, and how it learns which: a command of the person's own by its variables. */
function answerIn({ job, config, spool, isShort }: AskInput, { writesAnswer }: AgentAdapter) {
  const answer = answerFile(spool);
  if (job.step === 'review' && isCommand(job.agent, config))
    return { answer, told: '', variables: { GZA_NONCE: stepNonce(job), GZA_ANSWER: answer } };
  const isOffered = job.step === 'review' && writesAnswer === true && isShort !== true;
  return isOffered
    ? { answer, told: `\n\n${answerFileText(answer)}`, variables: {} }
    : { answer: null, told: '', variables: {} };
}

/** The run with what it left in the file, read as the answer to a schema is; the file is gone afterwards. */
async function withAnswer(run: AgentRun, file: string, name: string): Promise<AgentRun> {
  try {
    const bytes = await readPlainFile(file, answerBytesMax);
    if (bytes === null) return run;
    const structured: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isRecord(structured)) throw new Error('it is no JSON object');
    // Having said all there, it need print nothing.
    const kind = run.result.kind === 'empty' ? ({ kind: 'ok', error: undefined } as const) : {};
    return { ...run, result: { ...run.result, ...kind, structured } };
  } catch (thrown) {
    // A part of the answer, so that no approval stands beside it, and the next question says what was wrong.
    const text = `${run.result.text}\n\nThis review is incomplete: its answer in ${name} cannot be read (${whyFailed(thrown)}).`;
    return { ...run, result: { ...run.result, text } };
  } finally {
    await rm(file, { force: true, recursive: true });
  }
}
