import { join } from 'node:path';
import type {
  AgentAdapter,
  AgentEvent,
  AgentParser,
  AgentRequest,
  Ending,
  Launch,
  ResultKind,
} from '../agents.ts';
import { buildResult } from './build-result.ts';
import { failureKind } from './failure-kind.ts';

export interface CommandSettings {
  /** Program and arguments. `{prompt_file}`, `{result_file}` and `{model}` in a word are filled in. */
  readonly command: readonly string[];
  readonly promptVia: 'stdin' | 'arg' | 'file';
  readonly resultVia: 'stdout' | 'file';
  /** Added to its environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** An agent whose output format it prints, to read its result from. */
  readonly output?: AgentAdapter | undefined;
}

const promptFile = 'gza-prompt.md';
const resultFile = 'gza-result.md';
/** The kernel refuses a longer single argument. */
const argumentBytesMax = 128 * 1024 - 1;
const textCharsMax = 1 << 20;
const spareMax = 100_000;

/** Any program that takes a prompt. All it can say is an exit code and text, so that is all that is read. */
export function commandAgent(name: string, settings: CommandSettings): AgentAdapter {
  const { output } = settings;
  return {
    name,
    program: settings.command[0] ?? name,
    versionArgs: [],
    keyNames: output?.keyNames ?? [],
    secretNames: [],
    logins: output?.logins ?? [],
    ownLimits: { turns: false, budget: false },
    enforcesReadOnly: false,
    noise: output?.noise ?? [],
    preflight: () => undefined,
    launch: (request) => launch(name, settings, request),
    parser: (request) => output?.parser(request) ?? plainParser(settings),
  };
}

function launch(name: string, settings: CommandSettings, request: AgentRequest): Launch {
  const { prompt, home, model } = request;
  const paths = {
    prompt_file: join(home, promptFile),
    result_file: join(home, resultFile),
    model: model ?? '',
  };
  const words = settings.command
    .slice(1)
    .map((word) =>
      word.replace(/\{(prompt_file|result_file|model)\}/g, (_, key: keyof typeof paths) => paths[key]),
    );
  const namesFile = settings.command.some((word) => word.includes('{prompt_file}'));
  const isTooLong = settings.promptVia === 'arg' && Buffer.byteLength(prompt) > argumentBytesMax;
  const usesFile = settings.promptVia === 'file' || namesFile || isTooLong;
  return {
    args: [
      ...words,
      ...(request.extraArgs ?? []),
      ...promptArgs(settings, prompt, namesFile, isTooLong, paths.prompt_file),
    ],
    env: {
      ...settings.env,
      ...(model ? { GZA_MODEL: model } : {}),
      ...(usesFile ? { GZA_PROMPT_FILE: paths.prompt_file } : {}),
      ...(settings.resultVia === 'file' ? { GZA_RESULT_FILE: paths.result_file } : {}),
    },
    stdin: settings.promptVia === 'stdin' ? prompt : '',
    files: usesFile ? [{ path: promptFile, text: prompt }] : [],
    reads: settings.resultVia === 'file' ? [resultFile] : [],
    warnings: warnings(name, request, isTooLong),
  };
}

function promptArgs(
  settings: CommandSettings,
  prompt: string,
  namesFile: boolean,
  isTooLong: boolean,
  path: string,
): string[] {
  if (namesFile || settings.promptVia === 'stdin') return [];
  if (settings.promptVia === 'file') return [path];
  if (isTooLong) return [`Read the file ${path} and do what it says. (It was too long for a command line.)`];
  // A prompt that begins with a dash would be read as an option.
  return [prompt.startsWith('-') ? `\n${prompt}` : prompt];
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

function plainParser(settings: CommandSettings): AgentParser {
  let lines: string[] = [];
  let first = 0;
  let chars = 0;
  return {
    line(text, source): AgentEvent[] {
      if (source === 'file') return [];
      lines.push(text);
      chars += text.length + 1;
      // The end matters: answers and verdicts are at the end.
      for (; chars > textCharsMax && first < lines.length - 1; first += 1) {
        chars -= (lines[first] ?? '').length + 1;
      }
      // Now and then: taking one line from the front moves all others.
      if (first > spareMax) {
        lines = lines.slice(first);
        first = 0;
      }
      return text.trim() ? [{ kind: 'text', text }] : [];
    },
    finish(ending) {
      const said = lines.slice(first).join('\n').trim().slice(-textCharsMax);
      const text = settings.resultVia === 'file' ? (ending.files[resultFile] ?? '').trim() : said;
      return buildResult(
        { kind: plainKind(ending), text, turns: 1, usage: null, costUsd: null, denials: [] },
        ending,
      );
    },
  };
}

function plainKind({ code, signal, stderr }: Ending): ResultKind | undefined {
  if (signal !== null || code === null) return undefined;
  return code === 0 ? 'ok' : failureKind({ stderr });
}
