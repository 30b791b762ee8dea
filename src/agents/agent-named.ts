import { GzaError } from '../core/errors.ts';
import { claude } from './adapters/claude.ts';
import { codex } from './adapters/codex.ts';
import { commandAgent } from './adapters/command.ts';
import { copilot } from './adapters/copilot.ts';
import { gemini } from './adapters/gemini.ts';
import { opencode } from './adapters/opencode.ts';
import { splitCommand } from './adapters/split-command.ts';
import type { AgentAdapter } from './agents.ts';

const known: readonly AgentAdapter[] = [claude, codex, opencode, gemini, copilot];

export const agentNames: readonly string[] = known.map((agent) => agent.name);

/** What the configuration may say of an agent, as far as starting it goes. */
export interface AgentSettings {
  /** Path of the program, when it is not the one on PATH. */
  readonly program?: string | undefined;
  /** Makes it a command of the user's own, whatever its name: as words, or as one would type it. */
  readonly command?: string | readonly string[] | undefined;
  readonly promptVia?: 'stdin' | 'arg' | 'file' | undefined;
  readonly resultVia?: 'stdout' | 'file' | undefined;
  /** A known agent whose output format the command prints. */
  readonly output?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export function agentNamed(name: string, settings: AgentSettings = {}): AgentAdapter {
  const { command, program } = settings;
  if (command !== undefined) {
    return commandAgent(name, {
      command: typeof command === 'string' ? splitCommand(command) : command,
      promptVia: settings.promptVia ?? 'arg',
      resultVia: settings.resultVia ?? 'stdout',
      env: settings.env,
      output: settings.output === undefined ? undefined : knownAgent(settings.output),
    });
  }
  const agent = knownAgent(name);
  return program === undefined ? agent : { ...agent, program };
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
