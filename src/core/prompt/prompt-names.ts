/** The names of the prompt templates, and the names that templates may use. */
import { stepNames } from '../ledger/record/record.ts';

/** One for each step. The git-tasks runner uses `task` instead of `implement`. */
const promptTemplateNames = [...stepNames, 'task'] as const;
export type PromptName = (typeof promptTemplateNames)[number];

/** Values of one line. */
const promptWords = [
  'id',
  'title',
  'type',
  'step',
  'branch',
  'base',
  'cycle',
  'cycles',
  'attempt',
  'checks',
] as const;

/** The passages of a prompt, and the largest share of the prompt that each may take. */
export const passageShares = {
  task: 1,
  criteria: 1,
  files: 0.1,
  guidance: 0.1,
  review: 0.4,
  comments: 0.25,
  verification: 0.1,
  strategy: 0.05,
  resume: 0.05,
  ralph: 1,
  plan: 0.3,
  diff: 0.5,
  earlier: 0.15,
  dependencies: 0.2,
  notes: 0.1,
  tasks: 0.05,
  rules: 1,
  data: 1,
  result: 1,
} as const;
export type PromptSection = keyof typeof passageShares;
export const promptSections = Object.keys(passageShares) as readonly PromptSection[];

/** Required passages. If a template leaves one out, it is added at the end, under this heading. */
export const promptEssentials = {
  task: 'Task',
  criteria: 'Acceptance criteria',
  rules: 'Rules',
  data: 'Data',
  result: 'Your answer',
} as const;

export const promptNames: readonly string[] = [...promptWords, ...promptSections];
