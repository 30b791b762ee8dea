/**
 * Finds the tasks in a Markdown plan. Tries in this order: a fenced `yaml` block of tasks; headings such as
 * `Task 1` or `Step 1`; the lists below `Phase n` headings; list items with such labels; the list of a
 * section called Plan, Tasks or Steps; boxes. The result says which of these matched, so that a person can
 * judge it.
 */
import { GzaError } from '../errors.ts';
import { type MarkdownLine, readMarkdown, refuseTooLong } from '../markdown/markdown-lines.ts';
import { parseTaskFile } from '../task/parse-task-file.ts';
import { type Milestone, type Task, titleOf } from '../task/task.ts';
import { type Problem, printProblems } from '../yaml/problem.ts';
import { isAboutSection, isTaskSection, numberedTitle, type PlanLabel, planLabel } from './plan-labels.ts';
import { type PlanItem, type PlanSection, plainText, planItems, planSections } from './plan-outline.ts';

export interface RawTask {
  readonly label: PlanLabel | null;
  readonly title: string;
  readonly lines: readonly string[];
  readonly phase: string | null;
}

export interface PlanOutline {
  /** How the tasks were found. */
  readonly from: 'a yaml block' | 'headings' | 'phases' | 'labelled items' | 'a list of tasks' | 'boxes';
  /** The first heading. */
  readonly title: string | null;
  /** Complete tasks from a yaml block. */
  readonly tasks: readonly Task[];
  readonly raw: readonly RawTask[];
  readonly milestones: readonly Milestone[];
  /** Number of items that are already ticked. */
  readonly done: number;
}

/** A plan with more tasks should be several plans. */
const planTasksMax = 500;

export function parsePlan(file: string, markdown: string): PlanOutline {
  const outline = readPlan(file, markdown);
  const count = outline.tasks.length + outline.raw.length;
  if (count > planTasksMax)
    throw new GzaError('input', `${file} has ${count} tasks; ${planTasksMax} is the limit`, {
      hint: 'Break it into several plans, each a group of its own.',
    });
  return outline;
}

function readPlan(file: string, markdown: string): PlanOutline {
  refuseTooLong(file, markdown);
  const sections = planSections(markdown);
  const title = sections.find(({ level }) => level > 0)?.title ?? null;
  const blocks = parseTaskBlocks(file, markdown);
  if (blocks) return { from: 'a yaml block', title, raw: [], done: 0, ...blocks };
  const found = new Phases();
  const ways = [
    ['headings', () => byHeadings(sections, found)],
    ['phases', () => byPhases(sections, found)],
    ['labelled items', () => byItems(sections, ({ text }) => planLabel(plainText(text)) !== null)],
    ['a list of tasks', () => byItems(sections.filter(({ title }) => isTaskSection(title)))],
    [
      'boxes',
      () =>
        byItems(
          sections.filter(({ title }) => !isAboutSection(title)),
          ({ hasBox }) => hasBox,
        ),
    ],
  ] as const;
  for (const [from, way] of ways) {
    const { raw, done } = way();
    if (raw.length + done > 0) return { from, title, tasks: [], raw, milestones: found.milestones, done };
  }
  throw new GzaError('input', `no tasks were found in ${file}`, {
    hint: 'Write headings such as "### Task 1: Add the model", a list under "## Tasks", boxes (- [ ] …), or a ```yaml block with `tasks:`.',
  });
}

interface Found {
  readonly raw: RawTask[];
  readonly done: number;
}

/** Turns phases into milestones, in the same order. */
class Phases {
  readonly milestones: Milestone[] = [];

  id({ number, title }: PlanLabel): string {
    const id = `M${/^\d+$/.test(number) ? number : this.milestones.length + 1}`;
    if (!this.milestones.some((one) => one.id === id))
      this.milestones.push({ id, ...(title === '' ? {} : { name: plainText(title) }) });
    return id;
  }
}

function byHeadings(sections: readonly PlanSection[], phases: Phases): Found {
  const isTask = taskHeading(sections);
  const raw: RawTask[] = [];
  let done = 0;
  let phase: { id: string; level: number; section: PlanSection } | null = null;
  let open: { level: number; lines: string[] } | null = null;
  if (!sections.some((section, at) => isTask(section, at))) return { raw, done };
  for (const [at, section] of sections.entries()) {
    const aside = asideOf(section.title);
    const label = planLabel(aside.text);
    if (label?.kind === 'phase') {
      phase = { id: phases.id(label), level: section.level, section };
      open = null;
      const own = fromItems(planItems(section.lines), phase.id);
      raw.push(...own.raw);
      done += own.done;
    } else if (isTask(section, at)) {
      if (phase && section.level <= phase.level) phase = null;
      const known = label ?? { kind: 'task' as const, ...numberedTitle(aside.text)! };
      const lines = [...aside.lines, ...section.lines.map(({ text }) => text)];
      open = { level: section.level, lines };
      raw.push({ label: known, title: headingTitle(known, aside.text), lines, phase: phase?.id ?? null });
    } else if (open && section.level > open.level) {
      open.lines.push(
        `${'#'.repeat(section.level)} ${section.title}`,
        ...section.lines.map(({ text }) => text),
      );
    } else {
      open = null;
      if (phase && section.level <= phase.level) phase = null;
    }
  }
  return { raw, done };
}

function headingTitle(label: PlanLabel, whole: string): string {
  return titleOf(plainText(label.title || whole));
}

/** Accepts `Task 1` anywhere, but `1. Add it` only below a heading that announces tasks. */
function taskHeading(sections: readonly PlanSection[]): (section: PlanSection, at: number) => boolean {
  const isLabelled = ({ title }: PlanSection) => ['task', 'step'].includes(planLabel(title)?.kind ?? '');
  if (sections.some(isLabelled)) return isLabelled;
  return ({ level, title }, at) => {
    if (level === 0 || !numberedTitle(title) || planLabel(title) || isAboutSection(title)) return false;
    const above = sections.slice(0, at).findLast((other) => other.level < level && other.level > 0);
    return above !== undefined && (isTaskSection(above.title) || planLabel(above.title)?.kind === 'phase');
  };
}

function byPhases(sections: readonly PlanSection[], phases: Phases): Found {
  const raw: RawTask[] = [];
  let done = 0;
  for (const [at, section] of sections.entries()) {
    const label = planLabel(section.title);
    if (label?.kind !== 'phase') continue;
    const end = sections.findIndex((other, place) => place > at && other.level <= section.level);
    const inside = sections.slice(at, end < 0 ? undefined : end);
    const lines = inside
      .filter(({ title }, place) => place === 0 || !isAboutSection(title))
      .flatMap((one) => one.lines);
    const id = phases.id(label);
    const own = fromItems(planItems(lines), id);
    const whole = { label, title: headingTitle(label, section.title), lines: textsOf(lines), phase: id };
    raw.push(...(own.raw.length + own.done > 0 ? own.raw : [whole]));
    done += own.done;
  }
  return { raw, done };
}

function byItems(sections: readonly PlanSection[], isTask: (item: PlanItem) => boolean = () => true): Found {
  const items = sections.flatMap(({ lines }) => planItems(lines));
  return fromItems(items.filter(isTask), null);
}

function fromItems(items: readonly PlanItem[], phase: string | null): Found {
  const open = items.filter(({ isDone }) => !isDone);
  return { raw: open.map((item) => fromItem(item, phase)), done: items.length - open.length };
}

function fromItem({ text, lines }: PlanItem, phase: string | null): RawTask {
  const aside = asideOf(text);
  const label = planLabel(plainText(aside.text));
  const lead = /^\*\*(.+?)\*\*/.exec(aside.text)?.[1];
  const head = plainText(lead ?? aside.text).replace(/:$/, '');
  const title = titleOf(planLabel(head)?.title || label?.title || head);
  const said = plainText(text);
  const own = said === title ? lines : [said, '', ...lines];
  return { label, title, lines: [...aside.lines, ...own], phase };
}

const waitAside = /\((?:after|depends on|blocked by):? ([^()]{1,300})\)$/i;
const fieldAside =
  / [–—-]{1,2} (?=(?:files?|new files?|creates?|modif(?:y|ies)|tests?|depends on|after|priority)(?: to \w{1,10})?:)/i;

/** Separates fields from a title: `Login page (after Task 2)`, `Add the model — files: src/model.ts`. */
function asideOf(whole: string): { text: string; lines: string[] } {
  let text = whole.trimEnd();
  const lines: string[] = [];
  const wait = waitAside.exec(text);
  if (wait) {
    lines.push(`Depends on: ${wait[1]}`);
    text = text.slice(0, wait.index).trimEnd();
  }
  const field = fieldAside.exec(text);
  if (field) {
    lines.push(...text.slice(field.index + field[0].length).split('; '));
    text = text.slice(0, field.index).trimEnd();
  }
  return { text, lines };
}

function textsOf(lines: readonly MarkdownLine[]): string[] {
  return lines.map(({ text }) => text);
}

/** Reads fenced `yaml` blocks with `tasks:` like a task file. */
function parseTaskBlocks(file: string, markdown: string): { tasks: Task[]; milestones: Milestone[] } | null {
  const blocks = readMarkdown(markdown).blocks.filter(
    ({ info, text }) => /^ya?ml\b/i.test(info.trim()) && (isMap(text) || isList(text)),
  );
  if (blocks.length === 0) return null;
  const tasks: Task[] = [];
  const milestones: Milestone[] = [];
  const problems: Problem[] = [];
  for (const { text, line } of blocks) {
    const listed = isList(text);
    const read = parseTaskFile(file, listed ? `tasks:\n${text}` : text);
    const offset = line - (listed ? 1 : 0);
    problems.push(...read.problems.map((problem) => ({ ...problem, line: problem.line + offset })));
    tasks.push(...read.tasks.map(({ task, defaults }) => ({ ...defaults, ...task })));
    milestones.push(...read.milestones);
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return { tasks, milestones };
  throw new GzaError('input', `the tasks in ${file} are not right:\n${printProblems(errors, 20)}`, {
    hint: 'Nothing was written. Mend the block and run it again.',
  });
}

function isMap(text: string): boolean {
  return /^tasks\s*:/m.test(text);
}

/**
 * Whether a yaml list holds tasks, with a title or prompt. Other lists in a plan are examples of something
 * else.
 */
function isList(text: string): boolean {
  return (
    /^\s*- /.test(text.replace(/^(?:\s*#.*\n)+/, '')) && /^[ \t]*(?:- )?(?:title|prompt)[ \t]*:/m.test(text)
  );
}
