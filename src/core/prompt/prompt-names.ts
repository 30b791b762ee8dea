/** The templates there are, and the names that they may use. */
import { stepNames } from '../ledger/record/record.ts';

/** One for each step; `task` is what the git-tasks runner says instead of `implement`. */
const promptTemplateNames = [...stepNames, 'task'] as const;
export type PromptName = (typeof promptTemplateNames)[number];

/** Words on one line. */
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

/** Passages of a context, and how much of a prompt each may take at most. */
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

/** What gza cannot do without: a template that leaves one out gets it at its end, under this heading. */
export const promptEssentials = {
  task: 'Task',
  criteria: 'Acceptance criteria',
  rules: 'Rules',
  data: 'Data',
  result: 'Your answer',
} as const;

export const promptNames: readonly string[] = [...promptWords, ...promptSections];
