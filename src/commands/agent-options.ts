/** Options that say who does the work, shared by every verb that runs agents. */

import type { Invocation } from '../app/command.ts';
import type { OptionSpec } from '../core/arguments/command-spec.ts';
import { knownAgents } from '../core/config/model-names.ts';
import { GzaError } from '../core/errors.ts';
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
