/**
 * gza's block in a pull request's body: the tasks, their progress, what they wait for, what they cost, and
 * boxes with which people steer. It is printed from the facts each time, and shortened in stages when
 * people's own text leaves little room. The ledger holds everything.
 */
import { type Board, isDone, type TaskView } from '../../board/board.ts';
import { type Placed, placeTask, type SectionName } from '../../board/summary.ts';
import { type BoxName, blockFrameChars, printBlock, printBox } from '../../markdown/body-block.ts';
import { showHidden } from '../../markdown/neutralise.ts';
import type { Decision } from '../../policy/decide.ts';
import { leftAtOf } from '../../policy/merging.ts';
import { approvableAt, remarksOf, verdictWords } from '../../policy/steps-so-far.ts';
import { decisionWords } from '../decision-words.ts';
import { costOfRecords, count, fitStages, sumKnown, timeText, unapprovedText } from '../terminal/lines.ts';
import { codeText, inlineText, namedTitle } from './inline-text.ts';
import {
  cycleTable,
  folded,
  graphSection,
  howItMeets,
  howItWasVerified,
  promptText,
  reviewLine,
  type Story,
  section,
  standsOn,
  whatWasDone,
} from './pull-story.ts';

export interface PullBlockFacts extends Story {
  readonly board: Board;
  /** The head commit of the pull request. */
  readonly head?: string;
  /** Decisions about these tasks; others are ignored. */
  readonly decisions: readonly Decision[];
  /** The pull request is merged or closed, so the block has no boxes. */
  readonly isOver?: boolean;
  /** Branches that conflict with it, each with the files. */
  readonly clashes?: readonly string[];
  /** The result of the team's own CI on the head, in words. */
  readonly checks?: string | undefined;
  /** Why a requested merge has not happened yet. */
  readonly merging?: string | undefined;
  /** Numbers of issues that its merge closes. */
  readonly closes?: readonly number[];
}

interface Limits {
  readonly titleChars: number;
  readonly tasks: number;
  readonly waits: number;
  readonly cycles: number;
  readonly nodes: number;
  /** Limits in characters: for the results of plans, and for agents' reports and prompts. */
  readonly plans: number;
  readonly said: number;
}

const stages: readonly Limits[] = [
  { titleChars: 120, tasks: 300, waits: 20, cycles: 60, nodes: 60, plans: 2_000, said: 4_000 },
  { titleChars: 80, tasks: 150, waits: 10, cycles: 20, nodes: 0, plans: 1000, said: 1_500 },
  { titleChars: 50, tasks: 40, waits: 5, cycles: 8, nodes: 0, plans: 400, said: 400 },
  { titleChars: 30, tasks: 8, waits: 2, cycles: 0, nodes: 0, plans: 0, said: 0 },
  { titleChars: 0, tasks: 0, waits: 0, cycles: 0, nodes: 0, plans: 0, said: 0 },
];

/** The block, at most `charsMax` long; null when not even its shortest form fits. */
export function printPullBlock(
  facts: PullBlockFacts,
  charsMax: number,
): { block: string; stage: number } | null {
  const fitted = fitStages(
    stages,
    (limits, stage) => content(facts, limits, stage),
    charsMax - blockFrameChars,
  );
  return fitted && { block: printBlock(fitted.text), stage: fitted.stage };
}

/** The answer to `/gza status` on a pull request: the block without graph and boxes. */
export function pullStatusText(facts: PullBlockFacts): string {
  const limits = { titleChars: 100, tasks: 60, waits: 20, cycles: 20, nodes: 0, plans: 1_000, said: 600 };
  return content({ ...facts, isOver: true }, limits, 0);
}

function content(facts: PullBlockFacts, limits: Limits, stage: number): string {
  const { tasks, board } = facts;
  const { said, waits } = limits;
  const cycles = limits.cycles > 0 ? cycleTable(tasks, limits.cycles) : '';
  const sections = [
    headline(facts),
    [taskLine(facts), facts.isOver ? '' : standsOn(tasks, board), closesLine(facts)]
      .filter(Boolean)
      .join(' '),
    tasks.length > 1 ? checklist(tasks, limits) : '',
    waitsSection(facts, limits),
    clashSection(facts, limits),
    whatWasDone(facts, said),
    howItMeets(facts, waits),
    howItWasVerified(facts, waits),
    reviewLine(facts, said),
    remarksSection(tasks, limits),
    plansSection(tasks, limits),
    folded('Cycles and cost', cycles),
    graphSection(tasks, board, limits.nodes),
    promptText(facts, said),
    boxesSection(facts),
    stage > 0 ? leftOut(facts, limits) : '',
  ];
  return sections.filter((section) => section !== '').join('\n\n');
}

/** Names what a shorter form omits, with the commands that print it. Lists count their own omissions. */
function leftOut(facts: PullBlockFacts, limits: Limits): string {
  const { tasks, board } = facts;
  const whole = stages[0]!;
  const lacks = [
    limits.nodes === 0 && graphSection(tasks, board, whole.nodes) !== '' ? 'the graph (`gza graph`)' : '',
    limits.cycles === 0 && cycleTable(tasks, 1) !== '' ? 'reviews and cost (`gza report`)' : '',
    limits.said === 0 && whatWasDone(facts, 1) !== '' ? 'what was done (`gza show`)' : '',
    limits.plans === 0 && plansSection(tasks, whole) !== '' ? 'what the plan came to (`gza show`)' : '',
    limits.waits === 0 && waitsSection(facts, whole) !== '' ? 'what it waits for (`gza why`)' : '',
    limits.tasks === 0 ? `the list of ${count(tasks.length, 'task')} (\`gza list\`)` : '',
  ].filter((one) => one !== '');
  const without = lacks.length === 0 ? '' : `, without ${lacks.join(', ')}`;
  return `<sub>Shortened to fit${without}. The ledger has the whole; \`gza sync\` fetches it.</sub>`;
}

const closesMax = 20;

function closesLine({ closes = [], isOver }: PullBlockFacts): string {
  return isOver
    ? ''
    : closes
        .slice(0, closesMax)
        .map((number) => `Closes #${number}`)
        .join(', ');
}

/** `gza · 2 of 3 tasks done · $1.20 · 34 min`. */
function headline({ tasks, head, checks }: PullBlockFacts): string {
  const done = tasks.filter(isDone).length;
  const cost = costOfRecords(tasks.map(({ record }) => record));
  const seconds = sumKnown(tasks.map(({ record }) => record?.seconds));
  const parts = [
    'gza',
    tasks.length === 1 ? stateWords(tasks[0]!) : `${done} of ${count(tasks.length, 'task')} done`,
    ...(checks ? [inlineText(checks, 300)] : []),
    ...(cost === '–' ? [] : [cost]),
    ...(seconds ? [timeText(seconds)] : []),
    ...(head === undefined ? [] : [`at ${head.slice(0, 7)}`]),
  ];
  return `### ${parts.join(' · ')}`;
}

function stateWords({ status, record }: TaskView): string {
  const words = verdictWords(record);
  const verdict = words ? ` (${words})` : '';
  const cycle = record?.review_cycle && !record.closed_at ? ` (cycle ${record.review_cycle})` : '';
  return `${status.replace('_', ' ')}${verdict}${cycle}`;
}

/** Names a single task by its id only, because the pull request already has its title. */
function taskLine({ tasks: [view, ...others] }: PullBlockFacts): string {
  return view === undefined || others.length > 0 ? '' : `Task ${codeText(view.id)}.`;
}

/** Chooses open tasks first when there is not enough room, but keeps the order. */
function checklist(tasks: readonly TaskView[], { tasks: tasksMax, titleChars }: Limits): string {
  if (tasksMax === 0) return '';
  const isOpen = (view: TaskView) => !isDone(view) && view.record?.closed_as !== 'dropped';
  const open = tasks.filter(isOpen).slice(0, tasksMax);
  const room = tasksMax - open.length;
  const closed = tasks.filter((view) => !isOpen(view));
  const kept = new Set([...open, ...(room > 0 ? closed.slice(-room) : [])]);
  const left = tasks.length - kept.size;
  const lines = tasks.filter((view) => kept.has(view)).map((view) => checkbox(view, titleChars));
  if (left > 0) lines.push(`- … and ${count(left, 'more task')}`);
  return lines.join('\n');
}

function checkbox(view: TaskView, titleChars: number): string {
  const { record, status, id } = view;
  const name = namedTitle(id, view.task.title, titleChars);
  if (record?.closed_as === 'dropped') return `- ~~${name}~~ – dropped`;
  const commit = record?.closed_commit ? ` (${record.closed_commit.slice(0, 7)})` : '';
  const how = status === 'skipped' || status === 'failed' ? ` – ${record?.closed_as ?? status}` : '';
  return `- [${isDone(view) ? 'x' : ' '}] ${name}${commit}${how}${unapprovedText(view)}`;
}

function waitsSection(facts: PullBlockFacts, { waits: waitsMax }: Limits): string {
  const waits = placed(facts).filter(({ section }) => section !== 'done' && section !== 'running');
  const isTask = (id: string) => facts.board.views.has(id);
  const lines = waits.slice(0, waitsMax).map((one) => {
    const name = facts.tasks.length > 1 ? `${codeText(one.view.id)}: ` : '';
    return `- ${name}${waitWords(one, isTask)}`;
  });
  if (facts.merging) lines.push(`- to be merged: ${inlineText(facts.merging, 300)}`);
  if (waits.length > waitsMax) lines.push(`- … and ${waits.length - waitsMax} more`);
  return section('What it waits for', lines.join('\n'), waitsMax);
}

function clashSection({ clashes = [], isOver }: PullBlockFacts, { waits: shown }: Limits): string {
  if (clashes.length === 0 || shown === 0 || isOver) return '';
  const lines = clashes.slice(0, shown).map((one) => `- ${inlineText(one, 600)}`);
  if (clashes.length > shown) lines.push(`- … and ${clashes.length - shown} more`);
  return `#### Conflicts ahead\n\nWhichever is merged later conflicts with:\n\n${lines.join('\n')}`;
}

const sayings = {
  waits: '**waits for a person**: ',
  checks: '**checks were changed**: ',
  named: '',
} as const;

/** Files of the patch that people should look at, each with the reason. */
function remarksSection(tasks: readonly TaskView[], { waits: shown }: Limits): string {
  const lines = tasks.flatMap(({ record }) => {
    const { waits, checks, named } = remarksOf(record);
    const say = (kind: keyof typeof sayings, all: readonly string[]) =>
      all.map((one) => `- ${sayings[kind]}${inlineText(one, 300)}`);
    const waiting = waits.map(({ path, why }) => `${path}: ${why}`);
    return [...say('waits', waiting), ...say('checks', checks), ...say('named', named)];
  });
  const more = lines.length > shown ? [`- … and ${lines.length - shown} more`] : [];
  return section('To look at in the changes', [...lines.slice(0, shown), ...more].join('\n'), shown);
}

/** The results of plans, as noted when their tasks were last filed. */
function plansSection(tasks: readonly TaskView[], { plans }: Limits): string {
  const shown = tasks.flatMap(({ id, task, record }) =>
    task.type === 'plan' ? (record?.notes?.findLast((note) => isFiling(note, id)) ?? []) : [],
  );
  if (plans === 0 || shown.length === 0) return '';
  const all = shown.join('\n');
  const text = (
    all.length > plans ? `${all.slice(0, plans).replace(/[\ud800-\udbff]$/, '')}…` : all
  ).replaceAll('~~~', '~ ~ ~');
  return `#### The plan\n\n~~~text\n${showHidden(text)}\n~~~`;
}

function isFiling(note: string, id: string): boolean {
  return note.includes(`plans/${id}.md: `) && note.includes('\n');
}

function placed({ tasks, decisions }: PullBlockFacts): Placed[] {
  const byTask = new Map(decisions.map((decision) => [decision.task, decision]));
  return tasks.flatMap((view) => placeTask(view, byTask.get(view.id)) ?? []);
}

const waitsFor: Record<SectionName, string> = {
  person: '**a person**: ',
  limited: '',
  'over-budget': '**the budget**: ',
  blocked: '',
  ready: 'its turn: ',
  running: '',
  done: '',
};

/** `**a person**: the review raised questions. To go on: …` */
export function waitWords({ section, why, change }: Placed, isTask: (id: string) => boolean): string {
  const what = `${waitsFor[section]}${decisionWords(why, isTask)}`;
  // A task that is next or waits for another task continues by itself.
  const goesOn =
    (section !== 'person' && !/\bgza [a-z]/.test(change)) || section === 'ready' || change === '';
  return goesOn
    ? what
    : `${what}${/[.?!]$/.test(what) ? '' : '.'} To go on: ${decisionWords(change, isTask)}`;
}

const labels: Partial<Record<BoxName, string>> = {
  review: 'Review again',
  improve: 'Improve it, as the last review asks',
  retry: 'Retry what failed',
  resume: 'Go on: end the pause',
  pause: 'Pause',
};

/** The boxes that make sense in the current state. */
export function pullBoxes(tasks: readonly TaskView[]): BoxName[] {
  const has = (test: (view: TaskView) => boolean) => tasks.some(test);
  const hasBegun = has(
    ({ record, task }) =>
      task.type !== 'plan' && (record?.steps?.some(({ outcome }) => outcome === 'ok') ?? false),
  );
  const hasFailed = has(
    ({ status, record, unapproved }) => status === 'failed' || (record?.stop !== undefined && !unapproved),
  );
  const isPaused = has(({ record }) => record?.paused_at !== undefined);
  const isOpen = has((view) => !view.record?.closed_at);
  return [
    ...(hasBegun ? (['review', 'improve'] as const) : []),
    ...(hasFailed ? (['retry'] as const) : []),
    ...(isPaused ? (['resume'] as const) : isOpen ? (['pause'] as const) : []),
  ];
}

/** A box to approve the commit that people see, for a task that waits for an approval. */
export function approveBox({ id, record, unapproved, awaitsApproval }: TaskView): string[] {
  const at = approvableAt(record);
  const isAsked = record?.closed_at ? unapproved || awaitsApproval : true;
  if (at === undefined || !isAsked) return [];
  const what = record?.closed_at
    ? `Approve it as it is in ${at.slice(0, 7)}`
    : `Let ${count(record?.waits?.length ?? 0, 'changed file')} pass as in ${at.slice(0, 7)}`;
  return [printBox({ name: 'approve', task: id, at }, what)];
}

/** A box to merge, when all tasks are done and accepted. It holds only for the commit that people see. */
function mergeBox(tasks: readonly TaskView[]): string[] {
  const [at, last] = [leftAtOf(tasks)?.slice(0, 12), tasks.at(-1)];
  if (!at || !last || !tasks.every((view) => view.record?.closed_at && isDone(view))) return [];
  return [printBox({ name: 'merge', task: last.id, at }, `Merge ${at.slice(0, 7)}, and what it stands on`)];
}

function boxesSection({ tasks, isOver }: PullBlockFacts): string {
  const boxes = isOver ? [] : pullBoxes(tasks);
  if (boxes.length === 0) return '';
  const lines = [
    ...tasks.flatMap(approveBox),
    ...mergeBox(tasks),
    ...boxes.map((name) => printBox({ name, task: null }, labels[name] ?? name)),
  ];
  return `#### Steer it\n\n${lines.join('\n')}\n\nOr comment \`/gza improve\` with what to change; \`/gza help\` lists all commands.`;
}
