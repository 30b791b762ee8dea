/** From a step's context to the passages of its prompt: made harmless, labelled, each with its bound. */
import { cleanLine, fence, fenceData, showHidden } from '../markdown/fence.ts';
import type { Section } from './budget-text.ts';
import type { PromptName, PromptSection } from './prompt-names.ts';
import {
  bounded,
  commentWords,
  criteriaWords,
  dependencyWords,
  earlierWords,
  fileWords,
  inlineCode,
  item,
  lastBounded,
  ralphWords,
  rawCharsMax,
  reviewWords,
  taskId,
  taskWords,
} from './prompt-words.ts';
import type { DiffFile, StepContext, StepDiff } from './step-context.ts';
import { promptResult } from './templates/results.ts';
import { dataRule, promptRules } from './templates/rules.ts';

export type PromptSections = Readonly<Record<PromptSection, Section>>;

export function promptSectionsOf(context: StepContext, name: PromptName): PromptSections {
  const parts = { ...ownParts(context, name), ...stateParts(context), ...givenParts(context) };
  const show = `\`git tasks show ${taskId(context)}\``;
  const entries = Object.entries(parts).map(([section, given]) => [
    section,
    { text: '', keep: 'start', where: show, wrap: (text: string) => text, ...given, name: section },
  ]);
  return Object.fromEntries(entries) as PromptSections;
}

type Parts = Partial<Omit<Section, 'name'>>;
type PartsOf<Name extends PromptSection> = Record<Name, Parts>;

/** What the step is, whole. */
function ownParts(
  context: StepContext,
  name: PromptName,
): PartsOf<'task' | 'criteria' | 'rules' | 'data' | 'result' | 'ralph'> {
  const id = taskId(context);
  const { task, checks, protectedPaths, ralph, nonce } = context;
  const rules = promptRules(name, {
    id,
    checks: inlineCode(checks),
    protectedPaths: inlineCode(protectedPaths),
    allow: inlineCode(task.allow ?? []),
  });
  return {
    task: { text: taskWords(context), isRequired: true, wrap: fence },
    criteria: { text: criteriaWords(context), isRequired: true, wrap: fence },
    rules: { text: rules, isRequired: true },
    data: { text: dataRule, isRequired: true },
    result: { text: promptResult(name, { id, isRalph: ralph !== null, nonce }), isRequired: true },
    ralph: { text: ralphWords(context), isRequired: true },
  };
}

/** What people and earlier runs said of this step. */
function stateParts(
  context: StepContext,
): PartsOf<
  'guidance' | 'verification' | 'strategy' | 'resume' | 'review' | 'earlier' | 'comments' | 'notes'
> {
  const id = taskId(context);
  const { verification } = context;
  return {
    guidance: { text: bounded(context.guidance ?? ''), wrap: fence },
    verification: {
      text: verification === null ? '' : lastBounded(verification.text, showHidden),
      keep: 'end',
      where: 'in the output of the checks, run again',
      wrap: data(verification?.isOk === true ? 'The checks succeeded' : 'The checks failed'),
    },
    strategy: { text: bounded(context.strategy ?? ''), wrap: fence },
    resume: { text: bounded(context.resumeHint ?? ''), wrap: data('Left by the last run') },
    review: {
      text: reviewWords(context),
      where: `\`.gza/reviews/${id}-review-${Math.max(1, context.cycle)}.md\``,
      wrap: data('The review: findings, then its whole text'),
    },
    earlier: {
      text: context.earlierFindings.map(earlierWords).join('\n'),
      where: `\`.gza/reviews/${id}-review-*.md\``,
      wrap: data('Earlier findings'),
    },
    comments: {
      text: context.humanComments.map(commentWords).join('\n'),
      where: 'on the pull request',
      wrap: data('Comments'),
    },
    notes: {
      text: context.notes.map((note) => item(bounded(note))).join('\n'),
      keep: 'end',
      wrap: data('Notes'),
    },
  };
}

/** What it builds on. */
function givenParts(context: StepContext): PartsOf<'files' | 'plan' | 'diff' | 'dependencies' | 'tasks'> {
  const { plan } = context;
  const planId = cleanLine(plan?.id ?? '', 64);
  return {
    files: { text: fileWords(context) },
    plan: {
      text: bounded(plan?.text ?? ''),
      where: `\`.gza/plans/${planId}.md\``,
      wrap: data(`Plan ${planId}`),
    },
    diff: diffSection(context.diff),
    dependencies: {
      text: context.dependencies.map(dependencyWords).join('\n'),
      where: '`git tasks show <id>` of each',
      wrap: data('Results of dependencies'),
    },
    tasks: {
      text: bounded(context.outline),
      where: '`git tasks context --all`',
      wrap: data('Tasks around this one'),
    },
  };
}

function data(label: string): Section['wrap'] {
  return (text) => fenceData(text, label);
}

/** The lane's diff: whole, or each file's numbers and the command that shows the rest. */
function diffSection(diff: StepDiff | null): Pick<Section, 'text' | 'where' | 'wrap'> & { short?: string } {
  if (diff === null) return { text: '', where: '', wrap: (text) => text };
  const summary = diff.files.map(fileLine).join('\n');
  const range = `${revision(diff.base)}...${revision(diff.head)}`;
  const where = `\`git diff ${range}\`, by file: \`git diff ${range} -- <file>\``;
  const label = `Diff ${range}, ${countOf(diff.files)}`;
  const wrap = (text: string) => fenceData(text, label);
  const isWhole = diff.text !== null && !diff.isTooLarge && diff.text.length <= rawCharsMax;
  if (isWhole) return { text: showHidden(diff.text ?? '').trimEnd(), short: summary, where, wrap };
  return { text: summary, where, wrap: (text) => `${wrap(text)}\nToo large to send. Read it: ${where}.` };
}

function fileLine({ path, added, removed }: DiffFile): string {
  const numbers = added === null ? 'binary' : `+${added} -${removed ?? 0}`;
  return `${cleanLine(path, 500)} (${numbers})`;
}

function countOf(files: readonly DiffFile[]): string {
  return `${files.length} file${files.length === 1 ? '' : 's'}`;
}

/** Fit for a command line. */
function revision(name: string): string {
  return /^[\w][\w./-]{0,200}$/.test(name) ? name : 'HEAD';
}
