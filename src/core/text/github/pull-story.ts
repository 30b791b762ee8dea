/**
 * The part of a pull request's body about the change: what was done, how it meets the criteria, how it was
 * verified.
 */
import type { Board, TaskView } from '../../board/board.ts';
import type { StepRecord } from '../../ledger/record/record.ts';
import { firstSentence } from '../../markdown/neutralise.ts';
import { leftWork } from '../../policy/steps-so-far.ts';
import type { ReviewWords } from '../../review/review-words.ts';
import { count } from '../terminal/lines.ts';
import { codeText, inlineText, quotedText } from './inline-text.ts';

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
