import { GzaError } from '../core/errors.ts';
import { claude } from './adapters/claude.ts';
import { codex } from './adapters/codex.ts';
import { type CommandSettings, commandAgent } from './adapters/command.ts';
import { copilot } from './adapters/copilot.ts';
import { gemini } from './adapters/gemini.ts';
import { opencode } from './adapters/opencode.ts';
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

/**
 * Words of a command as a person writes them: `aider --yes --message-file "my file"`. Quotes and backslashes
 * group; nothing is expanded, and what only a shell could do is refused instead of being passed on as a word.
 */
export function splitCommand(text: string): string[] {
  const words: string[] = [];
  const rest = text.trim();
  const token = /\s+|"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)|([^\s"'\\]+)|(["'\\])/gsu;
  let word: string | undefined;
  for (const match of rest.matchAll(token)) {
    const [all, double, single, escaped, plain, open] = match;
    if (open !== undefined) throw unclosed(text, open);
    if (plain !== undefined && /^[|&;<>()`]|^\$\(/.test(plain) && word === undefined)
      throw needsShell(text, plain);
    const part = double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? plain;
    if (part !== undefined) word = (word ?? '') + part;
    else if (word !== undefined && /^\s/.test(all)) {
      words.push(word);
      word = undefined;
    }
  }
  if (word !== undefined) words.push(word);
  if (words.length === 0 || words[0] === '') throw empty();
  return words;
}

function unclosed(text: string, quote: string): GzaError {
  const found = quote === '\\' ? 'a backslash at its end' : `a ${quote} that is never closed`;
  return new GzaError('usage', `the runner command cannot be read: it has ${found}: ${text}`, {
    hint: 'Write it as on a command line, for example: --runner "aider --yes"',
  });
}

function needsShell(text: string, word: string): GzaError {
  return new GzaError('usage', `the runner command needs a shell for "${word}", and none is used: ${text}`, {
    hint: 'Put the pipeline into a script and name the script, or quote the word if it is meant as it is.',
  });
}

function empty(): GzaError {
  return new GzaError('usage', 'the runner command is empty', {
    hint: 'Name a program and its arguments, for example: --runner "aider --yes"',
  });
}
