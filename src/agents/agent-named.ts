/** The agents that gza knows by name; any other command line can be an agent too. */
import { join } from 'node:path';
import { GzaError } from '../core/errors.ts';
import type { ResultKind } from '../core/policy/endings.ts';
import { buildResult, failureKind } from './adapters/build-result.ts';
import { claude } from './adapters/claude.ts';
import { codex } from './adapters/codex.ts';
import { copilot } from './adapters/copilot.ts';
import { gemini } from './adapters/gemini.ts';
import { opencode } from './adapters/opencode.ts';
import {
  type AgentAdapter,
  type AgentEvent,
  type AgentParser,
  type AgentRequest,
  argumentBytesMax,
  type Ending,
  type Launch,
} from './agents.ts';

const known: readonly AgentAdapter[] = [claude, codex, opencode, gemini, copilot];

export const agentNames: readonly string[] = known.map((agent) => agent.name);

/** A command of the user's own, under any name: as a list of words, or as typed on a command line. */
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
 * Splits a command as a person writes it: `aider --yes --message-file "my file"`. Quotes and backslashes
 * group words; nothing is expanded. What only a shell could do is refused, because passing it on as a word
 * would surprise.
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

interface CommandSettings {
  /** Program and arguments. `{prompt_file}` and `{model}` in a word are filled in. */
  readonly command: readonly string[];
  readonly promptVia: 'argument' | 'stdin' | 'file';
}

const promptFile = 'gza-prompt.md';
const textCharsMax = 1 << 20;

/** Makes an agent of any program that takes a prompt. Only its exit code and its text are read. */
function commandAgent(name: string, settings: CommandSettings): AgentAdapter {
  return {
    name,
    program: settings.command[0] ?? name,
    tellsVersion: false,
    keyNames: [],
    secretNames: [],
    logins: [],
    ownLimits: { turns: false, budget: false },
    noise: [],
    missing: undefined,
    holding: (keys) =>
      Object.keys(keys).length === 0
        ? undefined
        : { why: 'how a command of your own finds another address is not known' },
    launch: (request) => launch(name, settings, request),
    parser: plainParser,
  };
}

function launch(name: string, { command, promptVia }: CommandSettings, request: AgentRequest): Launch {
  const { prompt, home, model } = request;
  const path = join(home, promptFile);
  const words = command
    .slice(1)
    .map((word) => word.replaceAll('{prompt_file}', () => path).replaceAll('{model}', () => model ?? ''));
  const namesFile = command.some((word) => word.includes('{prompt_file}'));
  const isTooLong = promptVia === 'argument' && Buffer.byteLength(prompt) > argumentBytesMax;
  const usesFile = promptVia === 'file' || namesFile || isTooLong;
  const promptArgs = () => {
    if (namesFile || promptVia === 'stdin') return [];
    if (promptVia === 'file') return [path];
    if (isTooLong)
      return [`Read the file ${path} and do what it says. (It was too long for a command line.)`];
    // A prompt that begins with a dash would be read as an option.
    return [prompt.startsWith('-') ? `\n${prompt}` : prompt];
  };
  return {
    args: [...words, ...promptArgs()],
    env: { ...(model ? { GZA_MODEL: model } : {}), ...(usesFile ? { GZA_PROMPT_FILE: path } : {}) },
    stdin: promptVia === 'stdin' ? prompt : '',
    files: usesFile ? [{ path: promptFile, text: prompt }] : [],
    warnings: warnings(name, request, isTooLong),
  };
}

function warnings(name: string, { access }: AgentRequest, isTooLong: boolean): string[] {
  return [
    ...(isTooLong
      ? [
          `the prompt is too long for an argument of ${name} (over 128 KiB): it was told to read a file instead`,
        ]
      : []),
    ...(access === 'full'
      ? []
      : [`${name} cannot be held to ${access} access: only its changes can be checked afterwards`]),
  ];
}

function plainParser(): AgentParser {
  let said = '';
  return {
    line(text, source): AgentEvent[] {
      if (source === 'file') return [];
      said += `${text}\n`;
      // Only the end is kept, where answers and verdicts are. It is cut rarely, as each cut copies it.
      if (said.length > 2 * textCharsMax) said = said.slice(-textCharsMax);
      return text.trim() ? [{ kind: 'text', text }] : [];
    },
    finish(ending) {
      const text = said.trim().slice(-textCharsMax);
      const kind = plainKind(ending);
      return buildResult({ kind, text, turns: 1, usage: null, costUsd: null, denials: [] }, ending);
    },
  };
}

function plainKind({ code, signal, stderr }: Ending): ResultKind | undefined {
  if (signal !== null || code === null) return undefined;
  return code === 0 ? 'ok' : failureKind({ stderr });
}
