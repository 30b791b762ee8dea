import { join } from 'node:path';
import type { ResultKind } from '../../core/policy/endings.ts';
import type { AgentAdapter, AgentEvent, AgentParser, AgentRequest, Ending, Launch } from '../agents.ts';
import { argumentBytesMax } from '../agents.ts';
import { buildResult, failureKind } from './build-result.ts';

export interface CommandSettings {
  /** Program and arguments. `{prompt_file}` and `{model}` in a word are filled in. */
  readonly command: readonly string[];
  readonly promptVia: 'argument' | 'stdin' | 'file';
}

const promptFile = 'gza-prompt.md';
const textCharsMax = 1 << 20;

/** Any program that takes a prompt. All it can say is an exit code and text, so that is all that is read. */
export function commandAgent(name: string, settings: CommandSettings): AgentAdapter {
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
      // The end matters: answers and verdicts are at the end. Cut now and then, as each cut copies it.
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
