/** The options that define a task, the same for `add` and `edit`, and the fields they stand for. */
import type { OptionSpec } from '../core/command-spec.ts';
import { GzaError } from '../core/errors.ts';
import { priorities, type Task, taskTypes } from '../core/task.ts';
import type { Invocation } from './command.ts';

interface FieldOption extends OptionSpec {
  readonly field: keyof Task;
  /** Words stand for tasks. */
  readonly ids?: boolean;
  /** Commas separate: names, never texts that may hold one. */
  readonly commas?: boolean;
  /** What the flag sets, when it is not true. */
  readonly sets?: string;
  /** What a number must be. */
  readonly number?: 'a whole number from 1' | 'a number of 0 or more';
}

const text = (name: string, field: keyof Task, value: string, help: string): FieldOption => ({
  name,
  field,
  type: 'text',
  value,
  help,
});
const many = (name: string, field: keyof Task, value: string, help: string): FieldOption => ({
  ...text(name, field, value, help),
  type: 'many',
});
const flag = (name: string, field: keyof Task, help: string): FieldOption => ({
  name,
  field,
  type: 'flag',
  help,
});

const fieldOptions: readonly FieldOption[] = [
  { ...text('type', 'type', '<type>', 'what kind of task'), short: 't', choices: taskTypes },
  text('group', 'group', '<group>', 'label for related tasks'),
  text('milestone', 'milestone', '<id>', 'milestone'),
  { ...text('priority', 'priority', '<p>', 'how urgent'), choices: [...priorities, ''] },
  {
    ...many('after', 'depends_on', '<id>', 'must be completed first'),
    aliases: ['based-on', 'depends-on'],
    ids: true,
    commas: true,
  },
  flag('same-branch', 'same_branch', "go on on the dependency's branch"),
  text('on-branch', 'branch', '<branch>', 'work on this branch'),
  flag('review', 'create_review', 'file and run a review task when it is completed'),
  { ...flag('auto-review', 'auto_review', 'review and improve until approved'), short: 'a' },
  {
    ...text('max-cycles', 'max_review_cycles', '<n>', 'most review cycles (default 3)'),
    number: 'a whole number from 1',
  },
  { ...flag('approval', 'approval', 'hold dependents until gza approve'), sets: 'required' },
  flag('breakdown', 'breakdown', 'commit the plan with the task file that it comes to'),
  { ...text('parent', 'parent', '<id>', 'task it is a part of'), ids: true },
  { ...text('plan-file', 'plan_file', '<file>', 'plan it belongs to'), aliases: ['plan'] },
  text('project', 'project', '<name>', 'project it belongs to'),
  { ...many('agent', 'agents', '<agent>', 'program that runs it'), commas: true },
  text('model', 'model', '<model>', 'model it runs with'),
  { ...text('budget', 'budget', '<dollars>', 'most it may cost'), number: 'a number of 0 or more' },
  many('creates', 'files_to_create', '<file>', 'file it creates'),
  many('modifies', 'files_to_modify', '<file>', 'file it modifies'),
  many('test-file', 'test_files', '<file>', 'test file that must pass'),
  many('criterion', 'acceptance_criteria', '<text>', 'acceptance criterion'),
  text('verify', 'verify', '<command>', 'command that must succeed'),
  { ...many('tag', 'tags', '<tag>', 'free tag'), commas: true },
];

export const definitionOptions: readonly OptionSpec[] = fieldOptions.map(
  ({ field: _field, ids: _ids, commas: _commas, sets: _sets, number: _number, ...option }) => option,
);

/** null: an empty value was given, which removes the field. */
export type DefinitionFields = Partial<Record<keyof Task, unknown>>;

export async function definitionFields(
  { options }: Pick<Invocation, 'options'>,
  knownId: (word: string) => Promise<string>,
): Promise<DefinitionFields> {
  const fields: DefinitionFields = {};
  for (const option of fieldOptions) {
    const given = options[option.name];
    if (given === undefined) continue;
    const value = valueOf(option, given);
    fields[option.field] = option.ids ? await idsOf(value, knownId) : value;
  }
  return fields;
}

function valueOf(option: FieldOption, given: Invocation['options'][string]): unknown {
  const { type, commas, sets } = option;
  if (type === 'flag' && sets !== undefined) return given ? sets : null;
  if (option.number !== undefined && given) return numberOf(option, given as string);
  if (type === 'text') return given || null;
  if (type !== 'many') return given;
  const words = (given as readonly string[]).flatMap((word) => (commas ? word.split(',') : [word]));
  const values = [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))];
  return values.length > 0 ? values : null;
}

function numberOf({ name, number }: FieldOption, given: string): number {
  const value = Number(given);
  const isRight = number === 'a whole number from 1' ? Number.isSafeInteger(value) && value >= 1 : value >= 0;
  if (isRight && Number.isFinite(value) && given.trim() !== '') return value;
  throw new GzaError('usage', `--${name} takes ${number}, found "${given}"`);
}

async function idsOf(value: unknown, knownId: (word: string) => Promise<string>): Promise<unknown> {
  if (value === null) return null;
  if (typeof value === 'string') return knownId(value);
  const ids = await Promise.all((value as readonly string[]).map(knownId));
  return [...new Set(ids)];
}
