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

/** Passages of a context, which have a bound together. */
export const promptSections = [
  'task',
  'criteria',
  'files',
  'guidance',
  'review',
  'comments',
  'verification',
  'strategy',
  'resume',
  'ralph',
  'plan',
  'diff',
  'earlier',
  'dependencies',
  'notes',
  'tasks',
  'rules',
  'data',
  'result',
] as const;
export type PromptSection = (typeof promptSections)[number];

/** What gza cannot do without: a template that leaves one out gets it at its end. */
export const promptEssentials = ['task', 'criteria', 'rules', 'data', 'result'] as const;

export const promptNames: readonly string[] = [...promptWords, ...promptSections];
