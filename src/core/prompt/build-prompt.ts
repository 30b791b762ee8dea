/**
 * What is sent to an agent for a step: the template (built in, or the repository's own), with the passages of the
 * step's context in it. The same context gives the same prompt.
 */

import { cleanLine } from '../markdown/neutralise.ts';
import { fitSections, promptCharsMax, type Section } from './budget-text.ts';
import {
  type PromptName,
  type PromptSection,
  passageShares,
  promptEssentials,
  promptNames,
  promptSections,
} from './prompt-names.ts';
import { inlineCode, promptSectionsOf, taskId } from './prompt-sections.ts';
import { promptTemplates } from './prompt-templates.ts';
import type { StepContext } from './step-context.ts';
import { expandTemplate, namesShown, parseTemplate, type Template, type TemplatePart } from './template.ts';

export type PromptOverrides = Readonly<Partial<Record<PromptName, Template>>>;

/** Which template a step takes; an override is `.gza/prompts/<name>.md`. */
export function promptNameOf({ step, commits }: Pick<StepContext, 'step' | 'commits'>): PromptName {
  return step === 'implement' && commits === 'agent' ? 'task' : step;
}

export function buildPrompt(
  context: StepContext,
  overrides: PromptOverrides = {},
  charsMax = promptCharsMax,
): string {
  const name = promptNameOf(context);
  const template = overrides[name] ?? { text: promptTemplates[name], file: `the built-in prompt ${name}` };
  const parts = parseTemplate(template, promptNames);
  const words = wordsOf(context);
  const sections = promptSectionsOf(context, name);
  const isFilled = (one: string) =>
    (words.get(one) ?? '') !== '' || (isSection(one) && sections[one].text !== '');
  const whole = [...parts, ...missing(parts, isFilled)];
  const shown = namesShown(whole, isFilled);
  const used = inOrderOfUse(name).filter((one) => shown.has(one));
  const blanks = used.filter(isFilled).map((one) => [one, ' '] as const);
  const ownChars = expandTemplate(whole, new Map([...words, ...blanks])).length;
  const bounded = used.map(
    (one): Section => ({ ...sections[one], charsMax: Math.floor(charsMax * passageShares[one]) }),
  );
  const { texts } = fitSections(bounded, charsMax - ownChars - 1);
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

/** The essentials that the template does not show, under headings of their own. */
function missing(
  parts: readonly TemplatePart[],
  isFilled: (name: string) => boolean,
): readonly TemplatePart[] {
  const shown = namesShown(parts, isFilled);
  return Object.entries(promptEssentials)
    .filter(([name]) => !shown.has(name) && isFilled(name))
    .flatMap(([name, heading]): readonly TemplatePart[] => [
      { kind: 'text', text: `\n\n## ${heading}\n\n` },
      { kind: 'value', name },
    ]);
}

/** What a step needs most comes first; the rest follows in the order of `promptSections`. */
const firstUsed: Readonly<Record<PromptName, readonly PromptSection[]>> = {
  plan: ['files', 'guidance', 'notes', 'dependencies'],
  explore: ['files', 'guidance', 'notes', 'dependencies'],
  implement: ['files', 'guidance', 'verification', 'strategy', 'resume', 'notes', 'plan'],
  review: ['guidance', 'plan', 'diff', 'earlier', 'verification'],
  improve: ['guidance', 'review', 'comments', 'verification', 'notes'],
  task: ['files', 'guidance', 'verification', 'strategy', 'resume', 'notes', 'plan'],
};

function inOrderOfUse(name: PromptName): readonly PromptSection[] {
  return [...new Set([...firstUsed[name], ...promptSections])];
}
