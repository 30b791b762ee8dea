/**
 * What is sent to an agent for a step: the template (built in, or the repository's own), with the passages of the
 * step's context in it. The same context gives the same prompt.
 */

import { cleanLine } from '../markdown/fence.ts';
import { fitSections, promptCharsMax, type Section } from './budget-text.ts';
import {
  type PromptName,
  type PromptSection,
  promptEssentials,
  promptNames,
  promptSections,
} from './prompt-names.ts';
import { promptSectionsOf } from './prompt-sections.ts';
import { inlineCode, taskId } from './prompt-words.ts';
import type { StepContext } from './step-context.ts';
import {
  expandTemplate,
  measureTemplate,
  parseTemplate,
  type Template,
  type TemplatePart,
} from './template.ts';
import { explorePrompt } from './templates/explore.ts';
import { implementPrompt } from './templates/implement.ts';
import { improvePrompt } from './templates/improve.ts';
import { planPrompt } from './templates/plan.ts';
import { reviewPrompt } from './templates/review.ts';
import { taskPrompt } from './templates/task.ts';

export type PromptOverrides = Readonly<Partial<Record<PromptName, Template>>>;

export const promptTemplates: Readonly<Record<PromptName, string>> = {
  plan: planPrompt,
  explore: explorePrompt,
  implement: implementPrompt,
  review: reviewPrompt,
  improve: improvePrompt,
  task: taskPrompt,
};

/** Which template a step takes; an override is `.gza/prompts/<name>.md`. */
export function promptNameOf({ step, commits }: Pick<StepContext, 'step' | 'commits'>): PromptName {
  return step === 'implement' && commits === 'agent' ? 'task' : step;
}

/** Throws when an override is no template; `gza check` asks this of each before any is needed. */
function parsePrompt(template: Template): readonly TemplatePart[] {
  return parseTemplate(template, promptNames);
}

export function buildPrompt(
  context: StepContext,
  overrides: PromptOverrides = {},
  charsMax = promptCharsMax,
): string {
  const name = promptNameOf(context);
  const template = overrides[name] ?? { text: promptTemplates[name], file: `the built-in prompt ${name}` };
  const parts = parsePrompt(template);
  const words = wordsOf(context);
  const sections = promptSectionsOf(context, name);
  const isFilled = (one: string) =>
    (words.get(one) ?? '') !== '' || (isSection(one) && sections[one].text !== '');
  const whole = [...parts, ...missing(parts, isFilled)];
  const { chars, uses } = measureTemplate(whole, isFilled);
  const wordChars = [...words].reduce((sum, [word, value]) => sum + value.length * (uses.get(word) ?? 0), 0);
  const used = promptSections.filter((one) => (uses.get(one) ?? 0) > 0);
  const ordered = inOrderOfUse(name, used).map(
    (one): Section => ({
      ...sections[one],
      uses: uses.get(one) ?? 1,
      charsMax: Math.floor(charsMax * (shares[one] ?? 1)),
    }),
  );
  const { texts } = fitSections(ordered, charsMax - chars - wordChars - 1);
  return `${expandTemplate(whole, new Map([...words, ...texts])).trim()}\n`;
}

function isSection(name: string): name is PromptSection {
  return (promptSections as readonly string[]).includes(name);
}

function wordsOf(context: StepContext): ReadonlyMap<string, string> {
  const { task, step, lane, cycle, cyclesMax, attempt, checks } = context;
  const isCycle = step === 'review' || step === 'improve';
  // A cycle that a person asked for may lie before the loop, or beyond its end.
  const number = isCycle ? Math.max(1, cycle) : cycle;
  return new Map([
    ['id', taskId(context)],
    ['title', cleanLine(task.title)],
    ['type', task.type],
    ['step', step],
    ['branch', inlineCode([lane.branch])],
    ['base', inlineCode([lane.base])],
    ['cycle', String(number)],
    ['cycles', String(Math.max(number, cyclesMax))],
    ['attempt', String(attempt)],
    ['checks', inlineCode(checks)],
  ]);
}

const headings = {
  task: 'Task',
  criteria: 'Acceptance criteria',
  rules: 'Rules',
  data: 'Data',
  result: 'Your answer',
} as const;

/** The essentials that the template does not show, under headings of their own. */
function missing(
  parts: readonly TemplatePart[],
  isFilled: (name: string) => boolean,
): readonly TemplatePart[] {
  const { uses } = measureTemplate(parts, isFilled);
  return promptEssentials
    .filter((name) => !uses.has(name) && isFilled(name))
    .flatMap((name): readonly TemplatePart[] => [
      { kind: 'text', text: `\n\n## ${headings[name]}\n\n` },
      { kind: 'value', name },
    ]);
}

/** How much of a prompt one passage may take at most. */
const shares: Readonly<Partial<Record<PromptSection, number>>> = {
  files: 0.1,
  guidance: 0.1,
  review: 0.4,
  comments: 0.25,
  verification: 0.1,
  strategy: 0.05,
  resume: 0.05,
  plan: 0.3,
  diff: 0.5,
  earlier: 0.15,
  dependencies: 0.2,
  notes: 0.1,
  tasks: 0.05,
};

/** What a step needs most comes first; the rest follows in the order of `promptSections`. */
const firstUsed: Readonly<Record<PromptName, readonly PromptSection[]>> = {
  plan: ['files', 'guidance', 'notes', 'dependencies'],
  explore: ['files', 'guidance', 'notes', 'dependencies'],
  implement: ['files', 'guidance', 'verification', 'strategy', 'resume', 'notes', 'plan'],
  review: ['guidance', 'plan', 'diff', 'earlier', 'verification'],
  improve: ['guidance', 'review', 'comments', 'verification', 'notes'],
  task: ['files', 'guidance', 'verification', 'strategy', 'resume', 'notes', 'plan'],
};

function inOrderOfUse(name: PromptName, used: readonly PromptSection[]): readonly PromptSection[] {
  const first = firstUsed[name].filter((one) => used.includes(one));
  return [...first, ...used.filter((one) => !first.includes(one))];
}
