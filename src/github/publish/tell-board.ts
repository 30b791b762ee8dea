/** The one issue that shows every task. Read again before it is written, and written only when its text changed. */

import { isGzaError } from '../../core/errors.ts';
import { mergeTicks } from '../../core/markdown/body-block.ts';
import { boardIssueTitle, fitBoardIssue } from '../../core/text/github/board-issue.ts';
import type { Ci } from '../jobs/ci.ts';
import type { Picked } from '../pick/pick.ts';
import { notKept } from '../pick/share.ts';

export async function tellBoard(ci: Ci, picked: Picked, notices: readonly string[]): Promise<void> {
  const { project, decisions, intake } = picked;
  const { board } = project;
  if (board.views.size === 0) return;
  const meta = await project.view.meta(project.view.base);
  const facts = { board, decisions, notices, notKept: notKept(meta ?? {}) };
  const known = picked.boardIssue;
  if (known && intake.boardTicks.length === 0) {
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
  const body = mergeTicks(issue.body, fitted.body, intake.boardTicks);
  if (body !== issue.body) await forge.updateIssue(issue.number, { body });
}

/** Where issues are switched off, as in most forks, all else goes on without a board. */
async function openBoard(ci: Ci, body: string): Promise<void> {
  try {
    const made = await ci.forge().createIssue(boardIssueTitle, body, ['gza']);
    ci.say(`Opened the board issue #${made.number}.`);
  } catch (error) {
    if (!isGzaError(error) || error.data['status'] !== 410) throw error;
    ci.warn(`There is no task board: ${error.message} ${error.hint ?? ''}`);
  }
}
