/**
 * Records what was already posted for a lane. It is kept in gza's block of the pull request's body, which is
 * written last. If a job is killed before that, the next one sees what may be missing, checks, and completes
 * it.
 */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { writeToTask } from '../../app/tasks/change-task.ts';
import { type GzaError, isGzaError } from '../../core/errors.ts';
import { pausedMark, readForeseen } from '../../core/ledger/ledger-state.ts';
import {
  type Box,
  blockOf,
  findBlock,
  mergeTicks,
  replaceBlock,
  roomForBlock,
} from '../../core/markdown/body-block.ts';
import type { Decision } from '../../core/policy/decide.ts';
import { parseJson } from '../../core/shape.ts';
import {
  boardIssueTitle,
  fitBoardIssue,
  missingSummary,
  missingWarnings,
} from '../../core/text/github/board-issue.ts';
import { inlineText } from '../../core/text/github/inline-text.ts';
import { type PullBlockFacts, printPullBlock } from '../../core/text/github/pull-body.ts';
import { clashLines } from '../../core/text/terminal/lines.ts';
import { boardForecast } from '../../engine/loop/simulate.ts';
import type { IssueFacts, PullFacts } from '../api/forge.ts';
import type { JobContext } from '../jobs/job-context.ts';
import type { LaneWorld } from '../pick/lane-world.ts';
import { notKept } from '../pick/push-state.ts';

const shape = z.strictObject({
  /** Keys of the reviews that were posted. */
  reviews: z.array(z.string().max(250)).max(500),
  /** Fingerprints of people's comments that were answered. */
  answers: z.array(z.string().max(40)).max(500).optional(),
  /** Findings whose threads gza resolved. If such a thread is open, a person reopened it. */
  resolved: z.array(z.string().max(40)).max(500).optional(),
  /** Boxes of issues that were already ticked. */
  boxes: z.array(z.string().max(300)).max(200).optional(),
  /** Status context → the commit and text that were set. */
  statuses: z.record(z.string().max(100), z.string().max(400)),
  /** How the team's CI ended, and on which commit. */
  checks: z
    .strictObject({ head: z.string().max(64), words: z.string().max(1_000), isGreen: z.boolean().optional() })
    .optional(),
  /** Box → who ticked it before gza edited the body. */
  ticks: z.record(z.string().max(250), z.string().max(100)).optional(),
});

export type Posted = z.infer<typeof shape>;

export const nothingPosted: Posted = { reviews: [], statuses: {} };

const mark = /<!-- gza:told ([A-Za-z0-9_-]+) -->/;

export function readPosted(body: string): Posted {
  const text = mark.exec(blockOf(body))?.[1];
  if (text === undefined) return nothingPosted;
  try {
    const parsed = shape.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    return parsed.success ? parsed.data : nothingPosted;
  } catch {
    return nothingPosted;
  }
}

/** Inserts the record before the end of a freshly printed block. */
export function withPosted(block: string, told: Posted): string {
  const place = findBlock(block);
  if (!place) return block;
  const at = block.lastIndexOf('<!-- gza:end -->');
  return `${block.slice(0, at)}${printPosted(told)}${block.slice(at)}`;
}

function printPosted(told: Posted): string {
  return `<!-- gza:told ${Buffer.from(JSON.stringify(told)).toString('base64url')} -->\n`;
}

/**
 * The body with a new block of gza's, within GitHub's limit. Keeps people's text and the ticks that were not
 * handled yet. Null when people's text leaves no room for the block.
 */
export function bodyTelling(
  facts: PullBlockFacts,
  before: string,
  told: Posted,
  answered: readonly Box[] = [],
): string | null {
  const printed = printPullBlock(facts, roomForBlock(before) - printPosted(told).length);
  if (!printed) return null;
  return mergeTicks(before, replaceBlock(before, withPosted(printed.block, told)), answered);
}

const factsShape = z.strictObject({
  number: z.int().min(1),
  url: z.string().max(2_000),
  state: z.enum(['draft', 'open', 'merged', 'closed']),
});
type Noted = z.infer<typeof factsShape>;

/**
 * Stores numbers and states of pull requests with their tasks, so that they can be shown without the forge.
 */
export async function notePulls(
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
  ci: Pick<JobContext, 'ports'>,
): Promise<void> {
  for (const { pull, tasks } of worlds.values()) {
    if (!pull) continue;
    for (const view of tasks) {
      const known = view.record?.pull_request;
      if (known?.number !== pull.number || known.state !== pull.state) await note(ci, project, view.id, pull);
    }
  }
}

async function note(
  { ports }: Pick<JobContext, 'ports'>,
  project: Project,
  id: string,
  pull: Noted,
): Promise<void> {
  const { number, url, state } = pull;
  await writeToTask(project, id, ports, (_record, stamp) => [
    { kind: 'pull-request', ...stamp, id, pull_request: { number, url, state } },
  ]);
}

const postedShape = z.strictObject({
  pull: factsShape.nullable(),
  /** Status context → the commit and text that are set. */
  statuses: z.record(z.string().max(100), z.string().max(400)),
});

/** Tells the next landing job of this run what was posted after this job's push. */
export function printPostedNow(pull: PullFacts | null, statuses: Readonly<Record<string, string>>): string {
  const noted = pull && { number: pull.number, url: pull.url, state: pull.state };
  return JSON.stringify({ pull: noted, statuses });
}

export function postedBefore(ci: Pick<JobContext, 'input'>): z.infer<typeof postedShape> {
  return postedShape.safeParse(parseJson(ci.input('told'))).data ?? { pull: null, statuses: {} };
}

export async function notePostedPull(
  ci: Pick<JobContext, 'ports' | 'input'>,
  project: Project,
  id: string,
): Promise<void> {
  const { pull } = postedBefore(ci);
  if (pull && project.board.views.get(id)?.record?.pull_request === undefined)
    await note(ci, project, id, pull);
}

export type OnMissing = (error: GzaError) => void;

/**
 * A missing permission must not stop other work. Such refusals are collected, and each missing permission is
 * reported together with what failed and the line that grants it.
 */
export function isMissingPermission(error: unknown): error is GzaError {
  return isGzaError(error) && typeof error.data['permission'] === 'string';
}

/** Whether the work was done. Without `onMissing` a refusal is thrown like any other error. */
export async function unlessMissing(
  onMissing: OnMissing | undefined,
  work: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!onMissing || !isMissingPermission(error)) throw error;
    onMissing(error);
    return false;
  }
}

/** Warns about each. The result stays: the job's work is recorded, and the next pick does the rest. */
export function sayMissing(ci: Pick<JobContext, 'warn' | 'summary'>, errors: readonly GzaError[]): void {
  for (const warning of missingWarnings(errors)) ci.warn(warning);
  ci.summary(missingSummary(errors));
}

export interface BoardSeen {
  readonly project: Project;
  readonly decisions: readonly Decision[];
  /** The board issue when the job began. */
  readonly boardIssue: IssueFacts | null;
  /** Boxes on the board that were handled. */
  readonly boardTicks: readonly Box[];
}

export async function updateBoard(
  ci: JobContext,
  seen: BoardSeen,
  notices: readonly string[],
): Promise<void> {
  const { project, decisions, boardIssue: known, boardTicks } = seen;
  const { board } = project;
  if (board.views.size === 0) return;
  const meta = await project.view.meta(project.view.base);
  const paused = meta?.marks?.[pausedMark] ?? null;
  const forecast = await boardForecast(project);
  const clashes = clashLines(readForeseen(meta?.marks ?? {}).clashes).map(
    (one) => `- ${inlineText(one, 600)}`,
  );
  const facts = { clashes, board, decisions, notices, paused, notKept: notKept(meta ?? {}), forecast };
  if (known && boardTicks.length === 0) {
    const fitted = fitBoardIssue(known.body, facts);
    if (fitted && mergeTicks(known.body, fitted.body) === known.body) return;
  }
  const forge = ci.forge();
  const issue = await forge.findIssue(boardIssueTitle);
  const fitted = fitBoardIssue(issue?.body ?? '', facts);
  if (fitted === null) {
    ci.warn('The board issue has no room left for the board: shorten what people wrote into it.');
    return;
  }
  if (issue === null) return openBoard(ci, fitted.body);
  const body = mergeTicks(issue.body, fitted.body, boardTicks);
  if (body !== issue.body) await forge.updateIssue(issue.number, { body });
}

/** In repositories without issues, such as most forks, everything else works without a board. */
async function openBoard(ci: JobContext, body: string): Promise<void> {
  try {
    const made = await ci.forge().createIssue(boardIssueTitle, body, ['gza']);
    ci.say(`Opened the board issue #${made.number}.`);
  } catch (error) {
    if (!isGzaError(error) || error.data['status'] !== 410) throw error;
    ci.warn(`There is no task board: ${error.message} ${error.hint ?? ''}`);
  }
}
