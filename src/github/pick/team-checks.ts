/**
 * Turns failures of the team's own CI into findings. A failed required check first runs once more, so that a
 * problem of the machine costs no agent. If it fails again, or cannot run again, an improve handles it.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Project } from '../../app/project.ts';
import { cleanLines } from '../../core/checks/verification.ts';
import type { Event } from '../../core/ledger/event.ts';
import { isInline } from '../../core/text/doctor/inline-workflows.ts';
import { inlineText } from '../../core/text/github/inline-text.ts';
import { addSeconds } from '../../core/time.ts';
import { readPlainFile } from '../../system/outside.ts';
import { redact } from '../../system/redacted-log.ts';
import type { PullFacts, RedCheck, TeamChecks } from '../api/forge.ts';
import type { JobContext, ReadingContext } from '../jobs/job-context.ts';
import { readPosted } from '../publish/posted-state.ts';

export interface ChecksSeen {
  /** Includes what is known of their checks. A check that will run again does not count as red. */
  readonly pulls: readonly PullFacts[];
  /** Runs to start again. */
  readonly reruns: readonly number[];
  /** Null when no checks were read. */
  readonly failed: ReadonlySet<number> | null;
}

/** A requested rerun begins within this time or never. */
const rerunSeconds = 1_800;
const prefix = 'rerun:';

export async function seeChecks(
  ci: ReadingContext,
  { view, board }: Project,
  pulls: readonly PullFacts[],
): Promise<ChecksSeen> {
  const atWork = new Set(board.claims.map(({ lane }) => lane));
  const resting = pulls.filter(
    ({ state, branch }) =>
      (state === 'open' || state === 'draft') && view.tip(branch) !== null && !atWork.has(branch),
  );
  if (resting.length === 0 || !(await hasWorkflows(ci, /\b(?:push|pull_request|workflow_dispatch)\b/)))
    return { pulls, reruns: [], failed: null };
  const heads = resting.map(({ headCommit }) => headCommit);
  const told = new Map(resting.map(({ headCommit, body }) => [headCommit, readPosted(body).checks]));
  const isKnown = (head: string) => told.get(head)?.head === head && told.get(head)?.isGreen === true;
  const found = await ci.forge().teamChecks(heads, view.base, isKnown);
  const marks = (await view.meta(view.base))?.marks ?? {};
  const now = ci.ports.now();
  const reruns = new Set<number>();
  const isRed = ({ run, attempt }: RedCheck) => {
    const asked = marks[`${prefix}${run}`];
    if (attempt > 1) return true;
    if (asked === undefined) reruns.add(run);
    return asked !== undefined && addSeconds(asked, rerunSeconds) <= now;
  };
  const seen = pulls.map((pull) => {
    const checks = found.get(pull.headCommit);
    return checks && heads.includes(pull.headCommit)
      ? { ...pull, checks: { ...checks, red: checks.red.filter(isRed) } }
      : pull;
  });
  const failed = new Set([...found.values()].flatMap(({ red }) => red.map(({ run }) => run)));
  return { pulls: seen, reruns: [...reruns], failed };
}

/** Notes the reruns before requesting them, so that a run that cannot run again is not requested for ever. */
export async function noteReruns(
  ci: ReadingContext,
  { ledger }: Project,
  { reruns, failed }: ChecksSeen,
): Promise<void> {
  const at = ci.ports.now();
  await ledger.write(async (view) => {
    const old = Object.keys((await view.meta(view.base))?.marks ?? {}).filter(
      (name) => name.startsWith(prefix) && failed?.has(Number(name.slice(prefix.length))) === false,
    );
    const events = [
      ...old.map((name): Event => ({ kind: 'mark', at, name, value: null })),
      ...reruns.map((run): Event => ({ kind: 'mark', at, name: `${prefix}${run}`, value: at })),
    ];
    return events.length > 0 ? { changes: [{ branch: view.base, events }] } : null;
  });
}

const logBytesMax = 64 << 10;
const linesMax = 150;
const charsMax = 6_000;
const redMax = 3;

/** Text for the improve: each failed check with the end of its log, without secrets and terminal codes. */
export async function failingText(ci: ReadingContext, { red }: TeamChecks): Promise<string> {
  const parts: string[] = [];
  for (const { name, job } of red.slice(0, redMax)) {
    const log = await ci
      .forge()
      .jobLog(job, logBytesMax)
      .catch(() => null);
    // Removes the time at the beginning of each line.
    const lines = cleanLines(log ?? '').map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, ''));
    const text = redact(lines.slice(-linesMax).join('\n').trim(), []).slice(-charsMax);
    const told = text === '' ? 'Its log cannot be read.' : `The end of its log:\n${text}`;
    parts.push(`The required check ${inlineText(name, 100)} failed on GitHub, and failed again. ${told}`);
  }
  return parts.join('\n\n');
}

const workflowsMax = 200;
const workflowBytesMax = 1_000_000;

/** Whether a workflow of the team listens to these events; true in doubt. If not, no checks are read. */
export async function hasWorkflows(
  { ports, run }: Pick<JobContext, 'ports' | 'run'>,
  listens: RegExp,
): Promise<boolean> {
  const folder = join(ports.cwd, '.github/workflows');
  const all = await readdir(folder).catch(() => []);
  const names = all.filter((name) => name !== run.workflow && !isInline(`.github/workflows/${name}`));
  for (const name of names.slice(0, workflowsMax)) {
    const text = await readPlainFile(join(folder, name), workflowBytesMax).catch(() => null);
    if (text === null || listens.test(text.toString('utf8'))) return true;
  }
  return names.length > workflowsMax;
}
