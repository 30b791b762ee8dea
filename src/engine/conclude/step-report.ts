/** What a step came to, and the parts of it that work and texts have in common. */
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { StepOutcome, StepRecord } from '../../core/ledger/record/record.ts';
import { closingWords } from '../../core/markdown/closing-words.ts';
import { endings, type ResultKind, restSeconds } from '../../core/policy/endings.ts';
import { parseSpool, type SpoolReading } from '../../core/spool/spool.ts';
import { addSeconds } from '../../core/time.ts';
import type { Repository } from '../../git/open-repository.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { changesFiles, type StepJob } from '../engine.ts';
import type { Left } from '../left.ts';

export interface ConcludeInput {
  readonly project: Project;
  /** With all texts. */
  readonly view: TaskView;
  readonly job: StepJob;
  readonly repository: Repository;
  /** Where it was left; null where that is another machine. */
  readonly clone: SharedClone | null;
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
  /** Where the agent ran; empty where that was another machine. */
  readonly log: string;
}

/** The line of a step in its task's record. */
export function recordOf(
  job: Pick<StepJob, 'step' | 'cycle' | 'agent' | 'model' | 'budgetUsd'>,
  { runs, started_at, ended_at }: Pick<Left, 'runs' | 'started_at' | 'ended_at'>,
  judged: Judged,
): StepRecord {
  const last = runs.at(-1);
  const sum = (of: (run: Left['runs'][number]) => number | undefined | null) =>
    runs.reduce((total, one) => total + (of(one) ?? 0), 0);
  const cost = sum((one) => one.costUsd);
  const inputTokens = sum((one) => one.usage && one.usage.input + one.usage.cachedInput);
  // Reasoning is a part of the output.
  const outputTokens = sum((one) => one.usage?.output);
  const unpriced = sum((one) => one.unpriced);
  const pricedAsOf = runs.findLast((one) => one.pricedAsOf)?.pricedAsOf;
  const turns = sum((one) => one.turns);
  const said = closingWords(last?.text ?? '');
  return {
    step: job.step,
    outcome: judged.outcome,
    started_at,
    ended_at,
    agent: job.agent,
    ...(job.cycle > 0 ? { cycle: job.cycle } : {}),
    ...(last?.agent.version ? { agent_version: last.agent.version } : {}),
    ...(job.model ? { model: job.model } : {}),
    ...(said !== '' && changesFiles(job.step) ? { said } : {}),
    ...(judged.error ? { error: judged.error } : {}),
    ...(judged.ending ? { ending: judged.ending } : {}),
    ...(job.budgetUsd === undefined ? {} : { reserved_usd: job.budgetUsd }),
    ...(cost > 0 ? { cost_usd: cost } : {}),
    ...(pricedAsOf === undefined ? {} : { priced_as_of: pricedAsOf }),
    ...(inputTokens > 0 ? { input_tokens: inputTokens } : {}),
    ...(outputTokens > 0 ? { output_tokens: outputTokens } : {}),
    ...(unpriced > 0 ? { unpriced_tokens: unpriced } : {}),
    ...(turns > 0 ? { turns } : {}),
    ...(last?.sessionId ? { session: last.sessionId } : {}),
  };
}

/** Of the lane as it was before the step. */
export async function currentDiff({ job: { lane }, repository }: ConcludeInput): Promise<string | null> {
  return lane && diffId(repository, { base: lane.compareWith, head: lane.head });
}

/** What an agent said with its own commands during a step. */
export function spoolOf(
  { project: { board }, view }: Pick<ConcludeInput, 'project' | 'view'>,
  left: Left,
): SpoolReading {
  const lane = view.record?.lane?.branch;
  const laneTasks = [...board.views.values()].filter(
    ({ id, record }) => id === view.id || (lane !== undefined && record?.lane?.branch === lane),
  );
  return parseSpool(left.spool, {
    runTask: view.id,
    laneTasks: new Set(laneTasks.map(({ id }) => id)),
    checklist: new Set(view.children),
    idsKnown: new Set(board.views.keys()),
    capLeft: capLeft(board, view),
    isCut: left.spool_cut,
  });
}

const agentTasksMax = 20;

/** Tasks that agents may still file under the root of this one. */
function capLeft(board: Project['board'], view: TaskView): number {
  const root = rootOf(view);
  let filed = 0;
  for (const { record } of board.views.values()) if (record?.key?.startsWith(`agent:${root}:`)) filed += 1;
  return Math.max(0, agentTasksMax - filed);
}

/** Tasks that a task filed by an agent brings about count for the one that a person asked for. */
export function rootOf({ id, record }: Pick<TaskView, 'id' | 'record'>): string {
  return /^agent:([^:]+):/.exec(record?.key ?? '')?.[1] ?? id;
}

const refusedShown = 5;

export function refusedNotes({ refused }: SpoolReading): string[] {
  if (refused.length === 0) return [];
  const shown = refused.slice(0, refusedShown).map(({ why }) => why);
  const more = refused.length - shown.length;
  return [`not filed: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`];
}

/** What a run of an agent means for its task: pure, the same on a laptop and in CI. */
interface OutcomeFacts {
  readonly kind: ResultKind;
  readonly error?: string | undefined;
  readonly resetAt?: string | undefined;
  /** Something was left that can be gone on from. */
  readonly hasWork: boolean;
  /** A note of the agent that says why it cannot go on. */
  readonly blocked: string | null;
  /** The task's steps before this one. */
  readonly steps?: readonly StepRecord[] | undefined;
  readonly now: string;
}

export interface Judged {
  readonly outcome: StepOutcome;
  readonly error?: string;
  /** How the run ended, where that says more than the outcome. */
  readonly ending?: ResultKind;
  /** A person must look, with a stable reason. */
  readonly stop?: { readonly reason: string; readonly detail: string };
  /** The agent may not be asked again before. */
  readonly limitedUntil?: string;
}

/** No plan's window is longer; a time beyond it was misread. */
const limitSecondsMax = 8 * 86_400;

function limitEnd({ kind, resetAt, now, steps = [] }: OutcomeFacts): string {
  const row = steps.length - 1 - steps.findLastIndex(({ outcome }) => outcome !== 'limit');
  if (resetAt === undefined || resetAt <= now) return addSeconds(now, restSeconds(endings[kind], row));
  const latest = addSeconds(now, limitSecondsMax);
  return resetAt < latest ? resetAt : latest;
}

export function judgeRun(facts: OutcomeFacts): Judged {
  const { kind, hasWork } = facts;
  if (facts.blocked !== null) return { outcome: 'blocked', error: facts.blocked };
  const { means, words, stop } = endings[kind];
  const ended = { error: facts.error ?? words, ending: kind };
  switch (means) {
    case 'done':
      return { outcome: 'ok' };
    case 'limit':
      return { outcome: 'limit', ...ended, limitedUntil: limitEnd(facts) };
    case 'slice':
      return {
        outcome: hasWork ? 'slice' : 'failed',
        ...ended,
        ...(stop ? { stop: { reason: stop.reason, detail: ended.error } } : {}),
      };
    case 'cannot':
      // A session that grew too long has left its work: a fresh one goes on with that.
      return { outcome: hasWork && kind === 'context' ? 'slice' : 'cancelled', ...ended };
    case 'death':
      return { outcome: 'lost', ...ended };
    case 'stopped':
      return { outcome: 'cancelled', ...ended };
    case 'attempt':
      return { outcome: 'failed', ...ended };
  }
}
