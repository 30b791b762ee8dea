/**
 * The part of a pull request's body about the change: what was done, how it meets the criteria, how it was
 * verified.
 */
import type { Board, TaskView } from '../../board/board.ts';
import type { StepRecord } from '../../ledger/record/record.ts';
import { firstSentence, neutraliseLine } from '../../markdown/neutralise.ts';
import { isLaneJudged, leftWork } from '../../policy/steps-so-far.ts';
import type { ReviewWords } from '../../review/conversation.ts';
import { parseTime } from '../../time.ts';
import { mermaidGraph } from '../terminal/graph.ts';
import { costText, count, sumKnown, timeText } from '../terminal/lines.ts';
import { cellText, codeText, idText, inlineText, quotedText } from './inline-text.ts';

/** A lane's last review, read from its ledger. */
export interface LastReview extends ReviewWords {
  readonly task: string;
  readonly step: StepRecord;
}

export interface Story {
  readonly tasks: readonly TaskView[];
  readonly review?: LastReview | undefined;
  /** The URL of this repository's workflow runs. */
  readonly runs?: string | undefined;
}

/** What each task's agent reported, quoted as data, and what each later improve step reported. */
export function whatWasDone({ tasks }: Story, charsMax: number): string {
  const told = tasks.flatMap((view) => {
    const steps = (view.record?.steps ?? []).filter(({ outcome }) => outcome === 'ok');
    const first = steps.findLast(({ step }) => step === 'implement')?.said;
    const said = first ?? view.record?.implementation_notes ?? '';
    const since = steps.flatMap((one) => (one.step === 'improve' ? improved(one) : []));
    if (said === '' && since.length === 0) return [];
    const name = tasks.length > 1 ? `**${codeText(view.id)}**\n\n` : '';
    const parts = [
      quotedText(said, Math.ceil(charsMax / Math.min(tasks.length, 8))),
      since.slice(-5).join('\n'),
    ];
    return [`${name}${parts.filter((part) => part !== '').join('\n\n')}`];
  });
  const shown = told.slice(-8);
  return section('What was done', shown.join('\n\n'), charsMax);
}

function improved({ cycle = 0, said = '' }: StepRecord): string[] {
  const did = inlineText(firstSentence(said), 200);
  return did === '' ? [] : [`- after review ${cycle}: ${did}`];
}

/** Each criterion with the last review's finding; without marks if no review judged the current work. */
export function howItMeets({ tasks, review }: Story, rowsMax: number): string {
  const lines = tasks.flatMap(({ id, task, record }) => {
    const last = record?.steps?.findLast((step) => leftWork(step) || step.step === 'review');
    const judged = review?.task === id && last?.step === 'review' ? review.criteria : undefined;
    return (task.acceptance_criteria ?? []).map((criterion, at) => {
      const found = judged?.get(at + 1);
      const mark = found === undefined ? '▫️' : found.met ? '✅' : '❌';
      const shown = found?.evidence ? ` – ${inlineText(found.evidence, 300)}` : '';
      return `- ${mark} ${inlineText(criterion, 300)}${shown}`;
    });
  });
  const more = lines.length > rowsMax ? [`- … and ${lines.length - rowsMax} more`] : [];
  return section('What was asked', [...lines.slice(0, rowsMax), ...more].join('\n'), rowsMax);
}

/** The checks of the last verified step on the lane. */
export function howItWasVerified({ tasks, runs }: Story, rowsMax: number): string {
  const last = tasks
    .flatMap(({ record }) => record?.steps ?? [])
    .filter(({ checked }) => checked !== undefined)
    .toSorted((a, b) => (a.ended_at < b.ended_at ? -1 : 1))
    .at(-1);
  if (last === undefined) return '';
  const run = /^github:(\d+):/.exec(last.run ?? '')?.[1];
  const where = run === undefined || runs === undefined ? '' : ` ([run ${run}](${runs}/${run}))`;
  const lines = (last.checked ?? []).map(
    (line) => `- ${line.startsWith('passed') ? '✅' : '⚠️'} ${inlineText(line, 400)}`,
  );
  const none = 'Nothing was checked: no verify command is set, and the task names no tests.';
  const head = where === '' ? '' : `On a fresh machine${where}:\n\n`;
  return section('How it was verified', lines.length === 0 ? none : `${head}${lines.join('\n')}`, rowsMax);
}

/** The last review in one line, then the first paragraph of its summary. */
export function reviewLine({ review, tasks }: Story, charsMax: number): string {
  if (review === undefined) return '';
  const { step, summary } = review;
  const after = tasks
    .flatMap(({ record }) => record?.steps ?? [])
    .some((one) => leftWork(one) && one.ended_at > step.ended_at && one.diff !== step.diff);
  const blockers = (step.findings ?? []).filter((mark) => mark.startsWith('!')).length;
  const points = findingCounts(blockers, (step.findings ?? []).length - blockers);
  const head = `**${step.verdict ?? 'No verdict'}** in cycle ${Math.max(1, step.cycle ?? 0)}${step.agent ? ` by ${inlineText(step.agent, 60)}` : ''}${points === '' ? '' : `, ${points}`}${after ? '; **changed since**' : ''}`;
  const said = quotedText(summary.split('\n\n')[0] ?? '', 600);
  return section('The last review', said === '' ? `${head}.` : `${head}:\n\n${said}`, charsMax);
}

/** `2 blockers, 1 follow-up`; empty when there are none. */
export function findingCounts(blockers: number, followUps: number): string {
  return [
    ...(blockers > 0 ? [count(blockers, 'blocker')] : []),
    ...(followUps > 0 ? [count(followUps, 'follow-up')] : []),
  ].join(', ');
}

/** The unmerged branches that the lane's branch is stacked on. */
export function standsOn(tasks: readonly TaskView[], { views }: Board): string {
  const lane = tasks[0]?.record?.lane;
  const branches = lane?.joins ?? (lane?.stacked_on === undefined ? [] : [lane.stacked_on]);
  const names = branches.slice(0, 20).flatMap((branch) => {
    const on = [...views.values()].find(({ record }) => record?.lane?.branch === branch && !record.merged_at);
    const number = on?.record?.pull_request?.number;
    return on === undefined ? [] : `${number === undefined ? '' : `#${number} `}(${codeText(branch)})`.trim();
  });
  return names.length === 0 ? '' : `Builds on ${names.join(' and ')}: merge that first.`;
}

/** The task's text, which the agent worked from. */
export function promptText({ tasks }: Story, charsMax: number): string {
  const asked = tasks.slice(0, 20).flatMap(({ id, task }) => {
    const text = [task.user_story ?? '', task.content.trim() === task.title ? '' : task.content]
      .filter((part) => part.trim() !== '')
      .join('\n\n');
    const name = tasks.length > 1 ? `**${codeText(id)}**\n\n` : '';
    return text === ''
      ? []
      : [`${name}${quotedText(text, Math.ceil(charsMax / Math.min(tasks.length, 20)))}`];
  });
  return folded('The task as it was given', charsMax === 0 ? '' : asked.join('\n\n'));
}

export function folded(title: string, text: string): string {
  return text === '' ? '' : `<details><summary>${title}</summary>\n\n${text}\n\n</details>`;
}

/** Empty if there is no room or no text. */
export function section(title: string, text: string, room: number): string {
  return text === '' || room === 0 ? '' : `#### ${title}\n\n${text}`;
}

/** GitHub refuses to draw larger sources. */
const mermaidCharsMax = 45_000;

/** Empty for fewer than three linked tasks, because a line of text shows two tasks better. */
export function graphSection(tasks: readonly TaskView[], board: Board, nodesMax: number): string {
  if (nodesMax === 0) return '';
  const near = new Set(tasks.map(({ id }) => id));
  const linked = new Set<string>();
  for (const { id } of tasks) {
    const links = [...board.graph.dependencies(id), ...board.graph.dependents(id)];
    for (const link of links) near.add(link.id);
    if (links.length > 0) for (const one of [id, ...links.map((link) => link.id)]) linked.add(one);
  }
  const views = [...near]
    .flatMap((id) => (linked.has(id) ? (board.views.get(id) ?? []) : []))
    .toSorted((a, b) => a.position - b.position);
  if (views.length < 3) return '';
  const shown = views.slice(0, nodesMax);
  const source = mermaidGraph(shown, board);
  if (source.length > mermaidCharsMax) return '';
  const more = views.length > shown.length ? `, the first ${shown.length} of them` : '';
  return [
    `<details><summary>Dependency graph (${count(views.length, 'task')}${more})</summary>`,
    '',
    '```mermaid',
    source,
    '```',
    '',
    '</details>',
  ].join('\n');
}

const titleCharsMax = 120;
const labelCharsMax = 50;
const labelsMax = 90;

/** The title of a single task. For several: the group's name, or the first title and the number of others. */
export function pullTitle(tasks: readonly TaskView[]): string {
  const first = tasks[0]?.task;
  if (!first) return 'gza: no tasks yet';
  const group = first.group;
  const isGroup = tasks.length > 1 && group !== undefined && tasks.every(({ task }) => task.group === group);
  const rest = tasks.length - 1;
  const end = tasks.length === 1 ? '' : isGroup ? ` (${count(tasks.length, 'task')})` : ` (and ${rest} more)`;
  const title = neutraliseLine(isGroup ? group : first.title, 'body', titleCharsMax - end.length);
  return `${title === '' ? tasks[0]!.id : title}${end}`;
}

export const pullStates = [
  'working',
  'waiting',
  'needs a person',
  'paused',
  'approved',
  'done',
  'failed',
] as const;
export type PullState = (typeof pullStates)[number];

/** The most important state of all tasks. `needs a person` outranks every other. */
export function pullState(tasks: readonly TaskView[]): PullState {
  const has = (test: (view: TaskView) => boolean) => tasks.some(test);
  if (has(({ record, awaitsApproval, unapproved }) => !!record?.stop || !!awaitsApproval || !!unapproved))
    return 'needs a person';
  if (has(({ status }) => status === 'failed')) return 'failed';
  if (has(({ record }) => record?.paused_at !== undefined && !record.closed_at)) return 'paused';
  if (has(({ claim }) => claim !== null)) return 'working';
  if (has(({ record }) => !record?.closed_at)) return 'waiting';
  const verdicts = tasks.flatMap(({ record }) => record?.final_verdict ?? []);
  const records = tasks.flatMap(({ record }) => record ?? []);
  return verdicts.length > 0 && isLaneJudged(records) ? 'approved' : 'done';
}

/** `gza`, `gza: approved`, the tasks' groups and milestones. */
export function pullLabels(tasks: readonly TaskView[]): string[] {
  const groups = tasks.flatMap(({ task }) => (task.group ? [`group: ${task.group}`] : []));
  const milestones = tasks.flatMap(({ task }) => (task.milestone ? [`milestone: ${task.milestone}`] : []));
  const labels = ['gza', `gza: ${pullState(tasks)}`, ...groups, ...milestones].map(labelText);
  return unique(labels).slice(0, labelsMax);
}

/** Keeps people's labels, and removes labels of gza's that no longer apply. */
export function mergeLabels(current: readonly string[], wanted: readonly string[]): string[] {
  const states = new Set(pullStates.map((state) => `gza: ${state}`));
  return unique([...current.filter((label) => !states.has(label.toLowerCase())), ...wanted]);
}

/** Commas divide labels in GitHub's own lists. */
function labelText(label: string): string {
  return neutraliseLine(label.replaceAll(',', ' '), 'comment', labelCharsMax);
}

/** Ignores case, because GitHub treats labels that differ only in case as one. */
function unique(labels: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const label of labels) if (!seen.has(label.toLowerCase())) seen.set(label.toLowerCase(), label);
  return [...seen.values()];
}

export interface CycleRow {
  /** 0 for the work before the first review. */
  readonly cycle: number;
  /** A verdict, or the state where there is no verdict. */
  readonly verdict: string;
  readonly blockers: number;
  readonly followUps: number;
  readonly agents: readonly string[];
  readonly cost: number | undefined;
  readonly unpriced: number | undefined;
  readonly seconds: number;
}

/** A review begins a row; the improve after it belongs to that row. */
function cycleRows(steps: readonly StepRecord[]): CycleRow[] {
  const groups: StepRecord[][] = [];
  for (const step of steps) {
    const first = groups.at(-1)?.[0];
    // A review that is repeated because it gave no verdict belongs to the same cycle.
    const isAgain = step.step === 'review' && first?.step === 'review' && !groups.at(-1)?.some(isVerdict);
    if (groups.length === 0 || (step.step === 'review' && !isAgain)) groups.push([step]);
    else groups.at(-1)?.push(step);
  }
  let cycle = 0;
  return groups.map((group) => {
    const isReviewed = group[0]?.step === 'review';
    if (isReviewed) cycle = Math.max(cycle + 1, group[0]?.cycle ?? 0);
    return rowOf(isReviewed ? cycle : 0, group);
  });
}

function isVerdict({ step, verdict }: StepRecord): boolean {
  return step === 'review' && verdict !== undefined;
}

function rowOf(cycle: number, steps: readonly StepRecord[]): CycleRow {
  const review = steps.findLast(({ step }) => step === 'review');
  const findings = review?.findings ?? [];
  const blockers = findings.filter((mark) => mark.startsWith('!')).length;
  return {
    cycle,
    verdict: verdictOf(steps, review),
    blockers,
    followUps: findings.length - blockers,
    agents: [...new Set(steps.flatMap(({ agent }) => (agent ? [agent] : [])))],
    cost: sumKnown(steps.map(({ cost_usd }) => cost_usd)),
    unpriced: sumKnown(steps.map(({ unpriced_tokens }) => unpriced_tokens)),
    seconds: steps.reduce((sum, step) => sum + secondsOf(step), 0),
  };
}

function verdictOf(steps: readonly StepRecord[], review: StepRecord | undefined): string {
  const work = steps.slice(1).findLast(leftWork);
  if (review?.verdict === 'APPROVED' && work && (work.diff === undefined || work.diff !== review.diff))
    return `${review.verdict}, then changed`;
  if (review) return review.verdict ?? (review.outcome === 'ok' ? 'no verdict' : `review ${review.outcome}`);
  const last = steps.at(-1);
  const tries = steps.length > 1 ? ` (${count(steps.length, 'step')})` : '';
  return last?.outcome === 'ok' ? `done${tries}` : `${last?.outcome ?? 'nothing'}${tries}`;
}

function secondsOf({ started_at, ended_at }: StepRecord): number {
  const seconds = (parseTime(ended_at) - parseTime(started_at)) / 1000;
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 0;
}

/** Markdown; empty when nothing was done. The last rows are kept. */
export function cycleTable(views: readonly TaskView[], rowsMax = 40): string {
  const rows = views.flatMap((view) => cycleRows(view.record?.steps ?? []).map((row) => ({ view, row })));
  if (rows.length === 0) return '';
  const hasTasks = views.length > 1;
  const shown = rows.slice(-rowsMax);
  const heads = [...(hasTasks ? ['Task'] : []), 'Cycle', 'Verdict', 'Findings', 'Agent', 'Cost', 'Time'];
  const cells = shown.map(({ view, row }) => [
    ...(hasTasks ? [idText(view.id)] : []),
    ...cellsOf(row).map((one) => cellText(one)),
  ]);
  const total = totalOf(
    views,
    rows.map(({ row }) => row),
  );
  const left = rows.length - shown.length;
  const sum = rows.length > 1 ? [['**Total**', ...heads.slice(3).map(() => ''), ...total]] : [];
  const table = printTable(heads, cells, sum);
  return left > 0 ? `${table}\n\n${count(left, 'earlier row')} left out.` : table;
}

const toTheRight = ['Reserved', 'Cost', 'Time'];

/** Prints a table without its empty columns. `last`: rows of sums. */
export function printTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  last: readonly (readonly string[])[] = [],
): string {
  const isSaid = (at: number) => rows.some((row) => row[at] !== '–' && row[at] !== '');
  const kept = heads.map((_, at) => at === 0 || isSaid(at));
  const only = (row: readonly string[]) => row.filter((_, at) => kept[at]);
  const line = (row: readonly string[]) => `| ${only(row).join(' | ')} |`;
  const marks = heads.map((head) => (toTheRight.includes(head) ? '--:' : ':--'));
  return [heads, marks, ...rows, ...last].map(line).join('\n');
}

/** The records come first, because their sums include steps that they no longer list. */
function totalOf(views: readonly TaskView[], rows: readonly CycleRow[]): string[] {
  const cost = sumKnown(views.map(({ record }) => record?.cost_usd)) ?? sumKnown(rows.map((row) => row.cost));
  const unpriced = sumKnown(views.map(({ record }) => record?.unpriced_tokens));
  const seconds =
    sumKnown(views.map(({ record }) => record?.seconds)) ?? sumKnown(rows.map((row) => row.seconds));
  return [costText(cost, unpriced), timeText(seconds)].map((text) => `**${text}**`);
}

function cellsOf({
  cycle,
  verdict,
  blockers,
  followUps,
  agents,
  cost,
  unpriced,
  seconds,
}: CycleRow): string[] {
  const findings = [
    ...(blockers > 0 ? [count(blockers, 'blocker')] : []),
    ...(followUps > 0 ? [count(followUps, 'follow-up')] : []),
  ];
  const none = cycle === 0 ? '–' : 'none';
  return [
    cycle === 0 ? 'work' : String(cycle),
    verdict,
    findings.join(', ') || none,
    agents.join(', ') || '–',
    costText(cost, unpriced),
    timeText(seconds),
  ];
}
