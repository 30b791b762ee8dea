/** One session, kept at each of its moments; from there it is played on with a mishap, and must end the same. */

import { openRepository } from '../../src/git/repository.ts';
import { fsckLedgers } from '../../src/ledger/fsck.ts';
import { openLedger } from '../../src/ledger/git-ledger.ts';
import type { Seen } from '../github/faults.ts';
import type { Github } from '../github/github.ts';
import { brokenInvariants } from '../github/invariants.ts';
import { type Snapshot, takeSnapshot } from '../github/snapshot.ts';
import type { JobRecord } from '../github/workflow-types.ts';
import { isWrite, type Mishap } from './mishap.ts';
import { arrange } from './mishaps.ts';
import { config, openStage, reopenStage, type Stage, task } from './stage.ts';

export interface Moment {
  readonly name: string;
  readonly snapshot: Snapshot;
  /** What the run that is queued now asks for when nothing goes wrong. */
  readonly requests: readonly Seen[];
  /** The steps that it goes through. */
  readonly steps: readonly Step[];
  /** How all ends when nothing goes wrong. */
  readonly end: Ending;
}

interface Step {
  readonly job: string;
  /** As its workflow names it, or the action that it uses. */
  readonly name: string;
}

type Ending = Readonly<Record<string, unknown>>;

const reviewed = `${config}task_types:\n  implement: { auto_review: true }\n`;

/** From the pushed task over the review, the improvement and a comment to the merge. */
export async function playSession(): Promise<Moment[]> {
  const stage = await openStage({ 'gza.yaml': reviewed });
  const { github } = stage;
  try {
    await github.commit({ branch: 'main', files: { 'tasks/answer.yml': task } });
    const first = await playPart(stage, 'task');
    const number = github.state.issues.find((one) => one.pull)?.number ?? 0;
    await github.as('walter').comment(number, '/gza improve say it in kilos\n/gza imporve');
    const second = await playPart(stage, 'comment');
    await github.as('walter').tick(number, 'Improve');
    const third = await playPart(stage, 'tick');
    await github.as('walter').merge(number);
    return [...first, ...second, ...third, ...(await playPart(stage, 'merge'))];
  } finally {
    await github.close();
  }
}

const runsMax = 8;

async function playPart({ github, play }: Stage, name: string): Promise<Moment[]> {
  const parts: Omit<Moment, 'end'>[] = [];
  const said: string[] = [];
  while (github.state.runs.some(({ status }) => status === 'queued')) {
    if (parts.length >= runsMax) throw new Error(`no rest after ${name}:\n${said.join('\n')}`);
    const snapshot = takeSnapshot(github);
    const from = github.seen.length;
    const steps: Step[] = [];
    const beforeStep = async ({ name: job }: JobRecord, name: string) => {
      steps.push({ job, name });
      return undefined;
    };
    said.push((await play({ stopAfter: 1, beforeStep })).transcript());
    const requests = github.seen.slice(from).filter(({ job }) => job !== undefined);
    parts.push({ name: `${name}, run ${parts.length + 1}`, snapshot, requests, steps });
  }
  const end = await endingOf(github);
  return parts.map((part) => ({ ...part, end }));
}

const ticksMax = 4;

/** What is not as it should be in the end; empty when all is well. */
export async function playMishap(moment: Moment, mishap: Mishap, before: Snapshot): Promise<string[]> {
  const stage = await reopenStage(moment.snapshot);
  const { github, play } = stage;
  const said: string[] = [];
  try {
    const options = arrange(stage, moment.requests, mishap, before.state);
    said.push((await play(options)).transcript());
    const broken = github.faults.unused().map(() => 'the mishap did not happen');
    github.faults.clear();
    let isQuiet = false;
    for (let ticks = 0; ticks < ticksMax && !isQuiet; ticks += 1) {
      const from = github.seen.length;
      await github.tickSchedule('17 */6 * * *');
      said.push((await play()).transcript());
      isQuiet = !github.seen.slice(from).some(isWrite);
    }
    if (!isQuiet) broken.push(`still writes after ${ticksMax} ticks`);
    broken.push(...(await brokenInvariants(github)), ...differences(moment.end, await endingOf(github)));
    broken.push(...(await ledgerFaults(github.gitDir)));
    return broken.length === 0 ? [] : [...broken, ...said];
  } finally {
    await github.close();
  }
}

/** Replaying what the ledgers say must give what they hold. */
async function ledgerFaults(gitDir: string): Promise<string[]> {
  const ledger = openLedger(await openRepository(gitDir), { base: 'main' });
  try {
    const { findings } = await fsckLedgers(ledger);
    return findings.map(({ branch, kind, detail }) => `ledger of ${branch}: ${kind}: ${detail}`);
  } finally {
    ledger.close();
  }
}

function differences(wanted: Ending, found: Ending): string[] {
  return Object.keys(wanted).flatMap((key) => {
    const [a = [], b = []] = [wanted[key], found[key]].map((one) =>
      (JSON.stringify(one, null, 1) ?? '').split('\n'),
    );
    if (a.join('\n') === b.join('\n')) return [];
    const gone = a.filter((line) => !b.includes(line)).map((line) => `- ${line}`);
    const extra = b.filter((line) => !a.includes(line)).map((line) => `+ ${line}`);
    return [[`${key} (${b.length} lines, not ${a.length}):`, ...gone, ...extra].join('\n')];
  });
}

interface Row {
  readonly id?: string;
  readonly steps?: readonly { step: string; outcome: string; cycle?: number; verdict?: string }[];
  readonly closed_as?: string;
  readonly final_verdict?: string;
  readonly stop?: unknown;
}

/** What people and the next pick find. Words and numbers that may differ from play to play are left out. */
async function endingOf({ state, data }: Github): Promise<Ending> {
  const ledgers = (await data.git.text(['for-each-ref', '--format=%(refname)', 'refs/tasks'])).split('\n');
  const rows = (await Promise.all(ledgers.map((ref) => rowsOf({ data }, ref)))).flat();
  const meta = JSON.parse(await data.git.text(['cat-file', 'blob', 'refs/tasks/main:ledger.json'])) as {
    claims?: readonly unknown[];
    marks?: Readonly<Record<string, string>>;
  };
  const pulls = state.issues.filter((one) => one.pull);
  const head = await data.commit('gza/answer');
  const statuses = state.statuses.filter(({ sha }) => sha === head);
  const latest = new Map(statuses.map((one) => [one.context, one.state]));
  const bots = state.comments.filter(({ author }) => author.endsWith('[bot]'));
  return {
    ledgers,
    tasks: rows.map(({ id, closed_as, final_verdict, stop = null }) => ({
      id,
      closed_as,
      final_verdict,
      stop,
    })),
    steps: rows.flatMap(({ steps = [] }) =>
      steps
        .filter(({ outcome }) => outcome === 'ok')
        .map(({ step, cycle, verdict }) => [step, cycle, verdict].join(' ')),
    ),
    claims: meta.claims ?? [],
    jobs: Object.keys(meta.marks ?? {}).filter((name) => /^(job|command):/.test(name)),
    file: onceEach((await data.file('gza/answer', 'src/answer.js'))?.toString('utf8') ?? ''),
    pulls: pulls.map(({ title, state: open, labels, pull, body }) => ({
      title,
      open,
      // As they are now: the play goes on.
      labels: [...labels],
      draft: pull?.draft,
      body: plain(body),
    })),
    reviews: state.reviews.map(({ body }) => /Verdict: \w+/.exec(body)?.[0]),
    inline: state.reviewComments.map(({ path, line }) => `${path}:${line}`),
    statuses: [...latest].map(([context, one]) => `${context} ${one}`).toSorted(),
    // That a comment was seen is worth saying at once or not at all.
    reactions: state.reactions.map(({ content }) => content).filter((one) => one !== 'eyes'),
    answers: bots.map(({ body }) => body.replaceAll(/\d{3,}/g, 'n')),
    boards: state.issues.filter((one) => !one.pull).map(({ title, body }) => [title, plain(body)]),
  };
}

/** An agent that is asked again goes on from what it left, and this one adds its line again. */
function onceEach(text: string): string[] {
  const lines = text.split('\n');
  return lines.filter((line, at) => line !== lines[at - 1]);
}

async function rowsOf({ data }: Pick<Github, 'data'>, ref: string): Promise<Row[]> {
  const found = await data.git.run(['grep', '-h', '^{"id"', ref]);
  const lines = found.stdout.toString('utf8').split('\n');
  return lines.filter((line) => line.startsWith('{"id"')).map((line) => JSON.parse(line) as Row);
}

/** Lines of the table of work say how often it was tried; hashes and times are never the same. */
function plain(body: string | null): string[] {
  return (body ?? '')
    .replaceAll(/\[run \d+\]\([^)]*\)/g, 'a run')
    .replaceAll(/\b[0-9a-f]{7,40}\b/g, 'hash')
    .split(/\r?\n/)
    .filter((line) => !/gza:told|^\| (work|\*\*Total)/.test(line))
    .map((line) => line.replaceAll(/( · )?\b\d+ (s|min)\b/g, ''));
}
