/** What people wrote on the pull requests of lanes, for the steps that answer it, and gza's replies. */
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import type { Decision } from '../../core/policy/decide.ts';
import {
  answeredIn,
  type PeopleSaid,
  type PersonAnswer,
  peopleSaid,
  personAnswersPath,
  readPersonAnswers,
  speakers,
} from '../../core/review/conversation.ts';
import { printReplies, printReply } from '../../core/text/github/person-answer.ts';
import { type Forge, type ForgeRead, isAtLeast, type PullFacts, type Role } from '../api/forge.ts';
import type { ReadingContext } from '../jobs/job-context.ts';
import type { LaneWorld } from '../pick/lane-world.ts';

/** Looking up the role of each costs one request. */
const speakersMax = 40;

/** Tasks whose next step uses people's comments. */
export function tasksThatListen(decisions: readonly Decision[]): string[] {
  return decisions.flatMap(({ task, action }) =>
    action.kind === 'run' && (action.step === 'improve' || action.step === 'review') ? [task] : [],
  );
}

/** Task → people's open comments. Makes one request for all tasks, and none when there are no tasks. */
export async function peopleFor(
  ci: ReadingContext,
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
  ids: readonly string[],
): Promise<Map<string, PeopleSaid>> {
  const pulls = new Map<string, Pick<PullFacts, 'number'>>();
  for (const task of ids) {
    const { lane, pull_request: noted } = project.board.views.get(task)?.record ?? {};
    const pull = worlds.get(lane?.branch ?? '')?.pull ?? noted;
    if (pull?.state === 'open' || pull?.state === 'draft') pulls.set(task, pull);
  }
  const said = new Map<string, PeopleSaid>();
  if (pulls.size === 0) return said;
  const forge = ci.forge();
  const conversations = await forge.conversations([...pulls.values()].map(({ number }) => number));
  const roles = await rolesOf(ci, forge, speakers([...conversations.values()].flat()));
  for (const [task, { number }] of pulls) {
    const view = project.board.views.get(task);
    const tasks = worlds.get(view?.record?.lane?.branch ?? '')?.tasks ?? (view ? [view] : []);
    const answered = new Set((await laneAnswers(project, tasks)).map(({ fingerprint }) => fingerprint));
    const mayWrite = (login: string) => isAtLeast(roles.get(login) ?? 'none', 'write');
    said.set(task, peopleSaid(conversations.get(number) ?? [], mayWrite, answered));
  }
  return said;
}

export async function rolesOf(
  ci: Pick<ReadingContext, 'warn'>,
  forge: ForgeRead,
  logins: readonly string[],
): Promise<Map<string, Role>> {
  const roles = new Map<string, Role>();
  if (logins.length > speakersMax)
    ci.warn(`${logins.length} people spoke; of the last ${speakersMax} it was asked whether they may write.`);
  for (const login of logins.slice(-speakersMax)) roles.set(login, await forge.role(login));
  return roles;
}

/** All answers that were given to people on a lane. */
export async function laneAnswers(
  project: Project,
  tasks: readonly TaskView[],
): Promise<readonly PersonAnswer[]> {
  const all: PersonAnswer[] = [];
  for (const { id, record } of tasks) {
    const branch = record?.lane?.branch ?? project.view.base;
    all.push(...readPersonAnswers((await project.view.artifact(branch, personAnswersPath(id))) ?? ''));
  }
  return all;
}

/** `isFresh`: this job wrote the answers, so nobody can have posted them. */
export async function postAnswers(
  forge: Forge,
  { number }: PullFacts,
  missing: readonly PersonAnswer[],
  isFresh: boolean,
): Promise<void> {
  if (missing.length === 0) return;
  const posted = isFresh
    ? new Set<string>()
    : answeredIn((await forge.conversations([number])).get(number) ?? []);
  const open = missing.filter(({ fingerprint }) => !posted.has(fingerprint));
  const together: PersonAnswer[] = [];
  for (const answer of open) {
    const isOnLine = answer.kind === 'line';
    if (!isOnLine || !(await forge.reply(number, answer.id, printReply(answer)))) together.push(answer);
  }
  if (together.length > 0) await forge.comment(number, printReplies(together));
}
