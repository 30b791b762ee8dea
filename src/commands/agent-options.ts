/** Options that say who does the work, shared by every verb that runs agents. */
import type { Invocation } from '../app/command.ts';
import type { OptionSpec } from '../core/arguments/command-spec.ts';
import { knownAgents } from '../core/config/config.ts';
import { GzaError } from '../core/errors.ts';
import type { Task } from '../core/task/task.ts';
import { allRows, isList } from '../core/task/task-fields.ts';
import type { FieldOption, FieldRow } from '../core/task/task-json.ts';
import type { RunChoice } from '../engine/engine.ts';

export const agentOptions: readonly OptionSpec[] = [
  ...knownAgents.map((name) => ({ name, type: 'flag' as const, help: `run with ${name}` })),
  {
    name: 'agent',
    type: 'many',
    value: '<name>',
    help: 'run with this agent of gza.yaml; several in order of preference',
  },
  {
    name: 'runner',
    type: 'text',
    value: '<command>',
    help: 'run with a command of your own: --runner "aider --yes"',
  },
  { name: 'model', type: 'text', value: '<model>', help: 'model to use' },
];

export function runChoice({ options }: Invocation): RunChoice {
  const agents = [
    ...knownAgents.filter((name) => options[name] === true),
    ...((options['agent'] as readonly string[] | undefined) ?? []).flatMap((one) => one.split(',')),
  ];
  const runner = options['runner'] as string | undefined;
  if (runner !== undefined && agents.length > 0) {
    throw new GzaError('usage', `--runner and --${agents[0]} name two agents; give one of them`);
  }
  const model = options['model'] as string | undefined;
  const parallel = whole(options['parallel'], 'parallel');
  const maxTasks = whole(options['max-tasks'], 'max-tasks');
  return {
    ...(agents.length > 0 ? { agents } : {}),
    ...(runner === undefined ? {} : { runner }),
    ...(model === undefined ? {} : { model }),
    ...(parallel === undefined ? {} : { parallel }),
    ...(maxTasks === undefined ? {} : { maxTasks }),
    delaySeconds: (options['delay'] as number | undefined) ?? 0,
    once: options['once'] === true,
  };
}

function whole(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
  throw new GzaError('usage', `--${name} takes a whole number from 1, found ${JSON.stringify(value)}`);
}

/** An option that defines a task, the same for `add` and `edit`, and the field that it sets. */
interface Defines {
  readonly field: keyof Task;
  readonly row: FieldRow;
  readonly spec: OptionSpec;
}

const options: readonly Defines[] = allRows.flatMap(([field, row]) =>
  row.option ? [{ field: field as keyof Task, row, spec: specOf(field, row, row.option) }] : [],
);

function specOf(field: string, row: FieldRow, { sets: _sets, ...option }: FieldOption): OptionSpec {
  const type = option.value === undefined ? 'flag' : isList(row) ? 'many' : 'text';
  // An empty value removes the field.
  const { values = [] } = row;
  const choices =
    row.kind === 'choice' && type === 'text' ? { choices: field === 'type' ? values : [...values, ''] } : {};
  return { ...option, type, ...choices };
}

export const definitionOptions: readonly OptionSpec[] = options.map(({ spec }) => spec);

/** null: an empty value was given, which removes the field. */
export type DefinitionFields = Partial<Record<keyof Task, unknown>>;

/** A null link counts as absent. */
export function linksOf(id: string, { depends_on, parent }: DefinitionFields) {
  return {
    id,
    depends_on: (depends_on ?? undefined) as readonly string[] | undefined,
    parent: (parent ?? undefined) as string | undefined,
  };
}

export async function definitionFields(
  { options: given }: Pick<Invocation, 'options'>,
  knownId: (word: string) => Promise<string>,
): Promise<DefinitionFields> {
  const fields: DefinitionFields = {};
  for (const option of options) {
    const written = given[option.spec.name];
    if (written === undefined) continue;
    const value = valueOf(option, written);
    const isTask = option.row.kind === 'id' || option.row.kind === 'ids';
    fields[option.field] = isTask ? await idsOf(value, knownId) : value;
  }
  return fields;
}

function valueOf({ row, spec }: Defines, given: Invocation['options'][string]): unknown {
  const { sets } = row.option ?? {};
  if (spec.type === 'flag' && sets !== undefined) return given ? sets : null;
  if ((row.kind === 'count' || row.kind === 'dollars') && given)
    return numberOf(row, spec.name, given as string);
  if (spec.type === 'text') return given || null;
  if (spec.type !== 'many') return given;
  const hasCommas = row.kind === 'names' || row.kind === 'ids';
  const words = (given as readonly string[]).flatMap((word) => (hasCommas ? word.split(',') : [word]));
  const values = [...new Set(words.map((word) => word.trim()).filter((word) => word !== ''))];
  return values.length > 0 ? values : null;
}

function numberOf({ kind }: FieldRow, name: string, given: string): number {
  const value = Number(given);
  const isRight = kind === 'count' ? Number.isSafeInteger(value) && value >= 1 : value >= 0;
  if (isRight && Number.isFinite(value) && given.trim() !== '') return value;
  const takes = kind === 'count' ? 'a whole number from 1' : 'a number of 0 or more';
  throw new GzaError('usage', `--${name} takes ${takes}, found "${given}"`);
}

async function idsOf(value: unknown, knownId: (word: string) => Promise<string>): Promise<unknown> {
  if (value === null) return null;
  if (typeof value === 'string') return knownId(value);
  const ids = await Promise.all((value as readonly string[]).map(knownId));
  return [...new Set(ids)];
}
