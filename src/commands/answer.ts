/** A question about the board whose answer may be kept: see kept-answer.ts. */

import type { Outcome, Ports } from '../app/command.ts';
import { type Holds, stateOf } from '../app/kept-answer.ts';
import { loadProjectFrom, type OpenedProject, openProject, type Project } from '../app/project.ts';
import { unreadFiles, warnUnread } from '../app/warn-unread.ts';
import { configMistakes } from '../core/config/config.ts';
import type { Claim } from '../core/ledger/record/record.ts';
import type { Look } from '../ledger/git-ledger.ts';
import { isHealthy } from '../ledger/heal.ts';

export async function answer(ports: Ports, question: (project: Project) => Outcome): Promise<Outcome> {
  const opened = await openProject(ports);
  warnUnread(opened, ports);
  const look = await opened.ledger.look();
  const project = await loadProjectFrom(look.view, opened, ports);
  const outcome = question(project);
  const holds = holdsOf(opened, look, project);
  return holds ? { ...outcome, holds } : outcome;
}

/** Null when something is wrong: it must be looked at, and told, each time. */
function holdsOf(
  { repository, read }: OpenedProject,
  { view, refs }: Look,
  { board }: Project,
): Holds | null {
  if (configMistakes(read.problems).length + unreadFiles(read).length > 0) return null;
  if (view.problems.length > 0 || !isHealthy(refs) || repository.workTree === null) return null;
  return {
    repository,
    state: stateOf(repository, read, refs),
    until: endOfNextClaim(board.claims, board.now),
  };
}

function endOfNextClaim(claims: readonly Claim[], now: string): string | null {
  const ends = claims.map(({ until }) => until).filter((until) => until > now);
  return ends.length === 0 ? null : ends.reduce((a, b) => (a < b ? a : b));
}
