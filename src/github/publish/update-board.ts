/** The one issue that shows every task. Read again before writing, and written only when its text changed. */
import type { Project } from '../../app/project.ts';
import { isGzaError } from '../../core/errors.ts';
import { pausedMark, readForeseen } from '../../core/ledger/marks.ts';
import { type Box, mergeTicks } from '../../core/markdown/body-block.ts';
import type { Decision } from '../../core/policy/decide.ts';
import { clashLines } from '../../core/text/clashes.ts';
import { boardIssueTitle, fitBoardIssue } from '../../core/text/github/board-issue.ts';
import { inlineText } from '../../core/text/github/inline-text.ts';
import { boardForecast } from '../../engine/loop/simulate.ts';
import type { IssueFacts } from '../api/forge.ts';
import type { JobContext } from '../jobs/job-context.ts';
import { notKept } from '../pick/push-state.ts';

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
