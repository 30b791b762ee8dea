import type { Ports } from '../app/command.ts';
import { GzaError } from '../core/errors.ts';

const agentVariables = ['GZA_AGENT', 'ZAGI_AGENT'] as const;

/** Content is immutable for agents: they file, note and close, and rewrite nothing. */
export function refuseAgents(what: string, { env, program }: Ports, id = '<id>'): void {
  const variable = agentVariables.find((one) => env[one]);
  if (!variable) return;
  throw new GzaError(
    'refused',
    `agents may not use ${what}, and ${variable} is set, so one is at work here`,
    {
      hint: `An agent may add tasks, append notes and mark its task done:\n  ${program} note ${id} "what should change and why"`,
    },
  );
}
