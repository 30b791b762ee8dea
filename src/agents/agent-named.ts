import { GzaError } from '../core/errors.ts';
import { claude } from './adapters/claude.ts';
import { codex } from './adapters/codex.ts';
import { type CommandSettings, commandAgent } from './adapters/command.ts';
import { copilot } from './adapters/copilot.ts';
import { gemini } from './adapters/gemini.ts';
import { opencode } from './adapters/opencode.ts';
import { splitCommand } from './adapters/split-command.ts';
import type { AgentAdapter } from './agents.ts';

const known: readonly AgentAdapter[] = [claude, codex, opencode, gemini, copilot];

export const agentNames: readonly string[] = known.map((agent) => agent.name);

/** A command of the user's own, under any name: as words, or as one would type it. */
export interface OwnCommand {
  readonly command: string | readonly string[];
  readonly promptVia?: CommandSettings['promptVia'] | undefined;
}

export function agentNamed(name: string, own?: OwnCommand): AgentAdapter {
  if (!own) return knownAgent(name);
  const { command, promptVia = 'argument' } = own;
  return commandAgent(name, {
    command: typeof command === 'string' ? splitCommand(command) : command,
    promptVia,
  });
}

function knownAgent(name: string): AgentAdapter {
  const agent = known.find((candidate) => candidate.name === name);
  if (agent) return agent;
  throw new GzaError(
    'input',
    `there is no agent named ${JSON.stringify(name)}; known are ${agentNames.join(', ')}`,
    {
      hint: `To use a program of your own, give it a command in gza.yaml: agents: { ${/^\w+$/.test(name) ? name : 'mine'}: { command: "aider --yes" } }`,
      data: { name, known: agentNames },
    },
  );
}
