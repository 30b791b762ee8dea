/** What is wrong and does not end a verb: told on standard error, once by each process. */
import { configMistakes } from '../core/config/config.ts';
import { GzaError } from '../core/errors.ts';
import { joinedLines } from '../core/text/terminal/joined.ts';
import { type Problem, printProblems } from '../core/yaml/problem.ts';
import type { GitLedger } from '../ledger/git-ledger.ts';
import type { LedgerView } from '../ledger/ledger.ts';
import type { JoinOptions } from '../ledger/sync/sync.ts';
import type { Ports } from './command.ts';
import type { OpenedProject } from './project.ts';

type Telling = Pick<Ports, 'progress'>;

const shownMax = 3;
const mistakesShownMax = 5;

/** Task files that no task could be read from: they are on no board. */
export function unreadFiles({ tasks, problems }: OpenedProject['read']): Problem[] {
  if (problems.length === 0) return [];
  const held = new Set(tasks.map(({ file }) => file));
  const told = new Set(configMistakes(problems));
  return problems.filter(
    (problem) =>
      problem.severity === 'error' &&
      problem.task === undefined &&
      !held.has(problem.file) &&
      !told.has(problem),
  );
}

export function warnUnread({ read }: Pick<OpenedProject, 'read'>, ports: Telling): void {
  const unread = unreadFiles(read);
  for (const { file, line, message } of unread.slice(0, shownMax))
    ports.progress(`warning: ${file}:${line}: ${message}`);
  const more = unread.length - shownMax;
  if (more > 0) ports.progress(`warning: ${more} more like it`);
  if (unread.length > 0) ports.progress('warning: no task was read there; gza check says what was expected.');
}

const toldOf = new WeakMap<GitLedger, Set<string>>();

/** What could not be read of the ledgers. */
export function warnLedgers(
  ledger: GitLedger,
  { problems }: Pick<LedgerView, 'problems'>,
  ports: Telling,
): void {
  const before = toldOf.get(ledger) ?? new Set();
  toldOf.set(ledger, before);
  const fresh = problems
    .map(({ branch, detail }) => `${branch}: ${detail}`)
    .filter((one) => !before.has(one));
  for (const one of fresh) {
    before.add(one);
    ports.progress(`warning: the ledger of ${one}`);
  }
  if (fresh.length > 0)
    ports.progress('warning: what could not be read is left out; gza fsck says what to do');
}

/** For joins on a laptop: what they could not keep. */
export function warnJoined(ledger: GitLedger, ports: Telling): JoinOptions['tell'] {
  return (joined) => {
    for (const { said, next } of joinedLines(joined, ledger.store.namespace)) {
      ports.progress(`warning: ${said}\n  ${next}`);
    }
    warnLedgers(ledger, joined, ports);
  };
}

/**
 * A configuration with a mistake in it is not what its author meant: a budget, a check or a protected path that was
 * misspelt would not hold. It can be looked at, but no agent starts under it.
 */
export function refuseBrokenConfig({ read }: Pick<OpenedProject, 'read'>): void {
  const mistakes = configMistakes(read.problems);
  if (mistakes.length === 0) return;
  throw new GzaError('input', 'the configuration has a mistake, so no agent starts under it', {
    hint: `${printProblems(mistakes, mistakesShownMax)}\nMend it; gza check then says that all is good.`,
  });
}
