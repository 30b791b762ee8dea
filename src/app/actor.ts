/** Who acts: a person, or an agent, which names itself in the environment and may do less. */
import { GzaError } from '../core/errors.ts';
import type { Repository } from '../git/repository.ts';
import type { Ports } from './command.ts';

const agentVariables = ['GZA_AGENT', 'ZAGI_AGENT'] as const;

/** The agent that runs this, if one does. */
export function agentName({ env }: Pick<Ports, 'env'>): string | undefined {
  return agentVariables.map((name) => env[name]).find(Boolean);
}

export async function holderName({ git }: Repository, ports: Ports): Promise<string> {
  const agent = agentName(ports);
  if (agent) return agent;
  const named = ports.env['GIT_AUTHOR_NAME']?.trim();
  if (named) return named;
  const result = await git.run(['config', 'user.name']);
  return result.stdout.toString('utf8').trim() || ports.env['USER'] || 'someone';
}

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
