/**
 * The issue that shows every task: first what needs a person, then what runs, what is next, what waits. The
 * text holds no changing times, so that an unchanged state gives the same text and needs no write.
 */

import type { Board } from '../../board/board.ts';
import {
  boardSections,
  type Placed,
  type SectionInput,
  type SectionName,
  sectionNames,
} from '../../board/summary.ts';
import type { GzaError } from '../../errors.ts';
import {
  type BoxName,
  blockFrameChars,
  printBlock,
  printBox,
  replaceBlock,
  roomForBlock,
} from '../../markdown/body-block.ts';
import { verdictWords } from '../../policy/steps-so-far.ts';
import { groupBy } from '../../shape.ts';
import { toSecond } from '../../time.ts';
import { decisionWords } from '../decision-words.ts';
import { type Trap, trapText } from '../doctor/trap-texts.ts';
import { notKeptTitle } from '../terminal/joined.ts';
import { costOfRecord, costOfRecords, costText, count, fitStages, sumKnown } from '../terminal/lines.ts';
import { codeText, inlineText, namedTitle } from './inline-text.ts';
import { approveBox, waitWords } from './pull-body.ts';
import { graphSection } from './pull-story.ts';

export const boardIssueTitle = 'gza: task board';

export interface BoardFacts extends SectionInput {
  /** Refusals by GitHub, as Markdown list items. */
  readonly notices?: readonly string[];
  /** Who paused everything; null when nobody did. When absent, the board shows no box for it. */
  readonly paused?: string | null;
  /** Expected time and cost of the open tasks. */
  readonly forecast?: string;
  /** Branches that conflict with each other, as list items. */
  readonly clashes?: readonly string[];
  /** Events that recent joins of ledgers dropped, as list items. */
  readonly notKept?: readonly string[];
}

interface Limits {
  readonly titleChars: number;
  /** How many tasks each section names; the others are only counted. */
  readonly tasks: number;
  readonly done: number;
  readonly nodes: number;
}

const stages: readonly Limits[] = [
  { titleChars: 100, tasks: 60, done: 15, nodes: 60 },
  { titleChars: 80, tasks: 30, done: 10, nodes: 30 },
  { titleChars: 60, tasks: 15, done: 5, nodes: 0 },
  { titleChars: 40, tasks: 5, done: 2, nodes: 0 },
  { titleChars: 0, tasks: 1, done: 0, nodes: 0 },
];

const noticesTitle = 'Waiting for a person: refused by GitHub';

/** Whether the board shows refusals. If so, a rewrite must first check whether they still hold. */
export function hasNotices(body: string): boolean {
  return body.includes(`### ${noticesTitle}`);
}

/** The issue's body with gza's block replaced; null when people's own text leaves no room for it. */
export function fitBoardIssue(body: string, facts: BoardFacts): { body: string; stage: number } | null {
  const room = roomForBlock(body) - blockFrameChars;
  const fitted = fitStages(stages, (limits, stage) => content(facts, limits, stage), room);
  return fitted && { body: replaceBlock(body, printBlock(fitted.text)), stage: fitted.stage };
}

const intro =
  'Tick a box to answer; a comment such as `/gza improve login use argon2` says more. New tasks: files in `tasks/`, or `/gza add "…"`.';

function content(facts: BoardFacts, limits: Limits, stage: number): string {
  const sections = boardSections(facts);
  const open = sectionNames.flatMap((name) => (name === 'done' ? [] : (sections.get(name) ?? [])));
  const parts = [
    summaryLine(facts.board, sections),
    facts.paused ? pauseLines(facts.paused) : '',
    noticeSection(noticesTitle, facts.notices ?? [], limits.tasks),
    noticeSection('Conflicts ahead', facts.clashes ?? [], limits.tasks),
    noticeSection(notKeptTitle, facts.notKept ?? [], limits.tasks),
    ...sectionNames.map((name) => section(name, sections.get(name) ?? [], limits, facts.board)),
    [facts.forecast ?? '', facts.paused ? '' : pauseLines(facts.paused), intro].filter(Boolean).join('\n\n'),
    graphSection(
      open.map(({ view }) => view),
      facts.board,
      limits.nodes,
    ),
    stage > 0 ? '<sub>Shortened to fit. `gza status` and `gza next --all` print the whole.</sub>' : '',
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function pauseLines(paused: string | null | undefined): string {
  if (paused === undefined) return '';
  if (paused === null) return printBox({ name: 'pause-all', task: null }, 'Pause: start nothing more');
  const box = printBox({ name: 'resume-all', task: null }, 'Go on: end the pause of everything');
  return `**Everything is paused by ${inlineText(paused, 40)}.**\n\n${box}`;
}

/** Comes before all other sections, because a refusal can stop everything else. */
function noticeSection(title: string, notices: readonly string[], max: number): string {
  if (notices.length === 0) return '';
  const left = notices.length - max;
  const more = left > 0 ? [`- … and ${left} more`] : [];
  return [`### ${title}`, '', ...notices.slice(0, max), ...more].join('\n');
}

/** The sections without boxes, for a job's summary. */
export function boardExcerpt(facts: BoardFacts, tasksMax: number): string {
  const sections = boardSections(facts);
  const limits = { titleChars: 100, tasks: tasksMax, done: tasksMax, nodes: 0, hasNoBoxes: true };
  return [
    summaryLine(facts.board, sections),
    ...sectionNames.map((name) => section(name, sections.get(name) ?? [], limits, facts.board)),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const heads: Record<SectionName, string> = {
  person: 'Waiting for a person',
  running: 'In flight',
  ready: 'Next',
  limited: 'Waiting for a time',
  'over-budget': 'Over budget',
  blocked: 'Blocked',
  done: 'Done',
};

function summaryLine({ views }: Board, sections: ReadonlyMap<SectionName, readonly Placed[]>): string {
  if (views.size === 0) return 'No tasks yet.';
  const counts = sectionNames.flatMap((name) => {
    const number = sections.get(name)?.length ?? 0;
    return number === 0 ? [] : [`${number} ${name === 'done' ? 'done' : heads[name].toLowerCase()}`];
  });
  const all = [...views.values()];
  const cost = costOfRecords(all.map(({ record }) => record));
  const reserved = sumKnown(all.map(({ claim }) => claim?.reserved_usd));
  return [
    `**${counts.join(' · ')}**`,
    ...(cost === '–' ? [] : [`${cost} so far`]),
    ...(reserved ? [`${costText(reserved)} reserved`] : []),
  ].join(' · ');
}

function section(
  name: SectionName,
  placed: readonly Placed[],
  limits: Limits & { readonly hasNoBoxes?: boolean },
  board: Board,
): string {
  const max = name === 'done' ? limits.done : limits.tasks;
  if (placed.length === 0 || max === 0) return '';
  const isTask = (id: string) => board.views.has(id);
  const lines = placed.slice(0, max).flatMap((one) => {
    const line = taskLine(one, limits.titleChars, isTask);
    return limits.hasNoBoxes ? [line] : [line, ...boxLines(one)];
  });
  const left = placed.length - max;
  if (name === 'ready' && limits.hasNoBoxes !== true) lines.push(...groupBoxes(placed));
  if (left > 0)
    lines.push(name === 'done' ? `- … and ${left} before` : `- … and ${count(left, 'more task')}`);
  return `### ${heads[name]}\n\n${lines.join('\n')}`;
}

function taskLine(placed: Placed, titleChars: number, isTask: (id: string) => boolean): string {
  const { view, section: name } = placed;
  const said = titleChars === 0 ? '' : saidOf(placed, isTask);
  const pull = view.record?.pull_request;
  const where = pull ? ` · #${pull.number}` : '';
  // Bold, so that readers find the task among the reasons.
  return `- ${name === 'done' ? '' : '**'}${namedTitle(view.id, view.task.title, titleChars)}${name === 'done' ? '' : '**'}${where}${said === '' ? '' : `${name === 'done' ? ' · ' : '<br>'}${said}`}`;
}

function saidOf(placed: Placed, isTask: (id: string) => boolean): string {
  const { view, section: name, why } = placed;
  switch (name) {
    case 'running': {
      const { claim } = view;
      const step = claim?.step ? `${claim.step}, ` : '';
      return claim ? `${step}since ${toSecond(claim.at)}` : decisionWords(why, isTask);
    }
    case 'ready':
    case 'limited':
      return decisionWords(why, isTask);
    case 'done': {
      const verdict = verdictWords(view.record) || (view.record?.closed_as ?? '');
      return [verdict, costOfRecord(view.record)].filter((text) => text !== '' && text !== '–').join(', ');
    }
    case 'person':
    case 'over-budget':
    case 'blocked':
      return waitWords(placed, isTask).replace(/^\*\*[a-z ]+\*\*: /, '');
  }
}

const boxesOf: Record<SectionName, readonly BoxName[]> = {
  person: ['retry', 'skip'],
  running: [],
  ready: ['run', 'skip'],
  limited: ['run'],
  'over-budget': ['skip'],
  blocked: ['skip'],
  done: [],
};

const labels: Partial<Record<BoxName, string>> = {
  run: 'Run it next',
  retry: 'Try again',
  improve: 'Improve it, as the last review asks',
  skip: 'Skip it: it was done elsewhere',
  resume: 'Go on: end the pause',
};

/** The boxes with which a person can answer. */
function boxLines({ view, section: name }: Placed): string[] {
  const { record, status, task, unapproved, awaitsApproval } = view;
  const approve = name === 'person' ? approveBox(view) : [];
  // A task that waits for its assignee or for an approval did not fail, so it gets no box to retry it.
  const isAssigned = name === 'person' && status === 'pending' && task.assigned_agent !== undefined;
  const boxes: readonly BoxName[] = record?.paused_at
    ? ['resume', 'skip']
    : unapproved || awaitsApproval
      ? ['improve', 'skip']
      : isAssigned || approve.length > 0
        ? ['skip']
        : boxesOf[name];
  const lines = [
    ...approve,
    ...boxes.map((box) => printBox({ name: box, task: view.id }, labels[box] ?? box)),
  ];
  return lines.map((line) => `  ${line}`);
}

/** One box that starts all ready tasks of a group. */
function groupBoxes(placed: readonly Placed[]): string[] {
  const groups = groupBy(placed, ({ view }) => view.task.group ?? '');
  return [...groups].flatMap(([group, [first, ...others]]) =>
    group === '' || first === undefined || others.length === 0
      ? []
      : printBox(
          { name: 'run-group', task: first.view.id },
          `Run the group ${inlineText(group, 60)}: ${count(others.length + 1, 'task')}`,
        ),
  );
}

export function trapNotice(trap: Trap, more = ''): string {
  const { happened, kept, next } = trapText(trap);
  return `- **${happened}** ${kept}<br>${next.join('; ')}.${more === '' ? '' : ` ${more}`}`;
}

/** One refusal by GitHub. `on`: the branch concerned, or the missing permission. */
export function errorNotice(on: string, message: string, hint: string | undefined): string {
  return `- ${codeText(on)}: **${inlineText(message, 400)}**${hint ? `<br>${inlineText(hint, 400)}` : ''}`;
}

interface MissingText {
  readonly permission: string;
  readonly message: string;
  readonly hint: string;
}

function missingTexts(errors: readonly GzaError[]): MissingText[] {
  const permissionOf = ({ data }: GzaError) => String(data['permission']);
  return [...new Set(errors.map(permissionOf))].map((permission) => {
    const of = errors.filter((error) => permissionOf(error) === permission);
    const not = [...new Set(of.map(({ data }) => String(data['operation'])))];
    const message = `The token lacks the permission ${permission}, so gza could not ${not.join(', nor ')}.`;
    return { permission, message, hint: of[0]?.hint ?? '' };
  });
}

export function missingWarnings(errors: readonly GzaError[]): string[] {
  return missingTexts(errors).map(({ message, hint }) => `${message} ${hint}`);
}

/** The missing permissions as lines of the board. */
export function missingNotices(errors: readonly GzaError[]): string[] {
  return missingTexts(errors).map(({ permission, message, hint }) => errorNotice(permission, message, hint));
}

export function missingSummary(errors: readonly GzaError[]): string {
  return `#### The token lacks permissions\n\n${missingNotices(errors).join('\n')}\n`;
}

const workflowFile = /create or update workflow `?([^\s`]+)`?/i;

export function pushRefusal(branch: string, said: string): string {
  return `${whyAndWhat(branch, said)} It said: ${said}`;
}

function whyAndWhat(branch: string, said: string): string {
  const file = workflowFile.exec(said)?.[1];
  if (file !== undefined)
    return `the token of this job may not push workflow files (${file}): it lacks the scope \`workflow\`, which only the token of a GitHub App or of a person can have. Take them out of the task, land them by hand, or give the workflow such a token.`;
  if (/rule violations|GH013/i.test(said))
    return `a ruleset of this repository forbids the push to ${branch}: let GitHub Actions past it, or give the task another \`branch\`.`;
  if (/protected branch|GH006/i.test(said))
    return `${branch} is protected: let GitHub Actions push to it, or give the task another \`branch\`.`;
  return `the host did not take ${branch}.`;
}
