/** The command line: words → verb → outcome → output and exit status. All errors end here. */

import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import type { Command, Invocation, Outcome, Ports } from '../app/command.ts';
import { keepAnswer } from '../app/kept-answer.ts';
import { refuseAgents } from '../app/project.ts';
import { findVerb, globalOptions, verbs } from '../commands/commands.ts';
import { nearestWord } from '../core/arguments/nearest-word.ts';
import { parseArguments } from '../core/arguments/parse-arguments.ts';
import { exitCode, GzaError } from '../core/errors.ts';
import { foreseen } from '../core/system-error.ts';
import { calledAs } from '../core/text/help/help.ts';
import { printError } from '../core/text/terminal/error.ts';
import { coloured, plain } from '../core/text/terminal/lines.ts';
import { printTime } from '../core/time.ts';
import { version } from '../core/version.ts';
import { print } from '../system/print.ts';

export async function main(words: readonly string[]): Promise<number> {
  const json = words.includes('--json') && !words.slice(0, words.indexOf('--json')).includes('--');
  try {
    const outcome = await runWords(words, processPorts());
    const text = json ? `${JSON.stringify(outcome.json, null, 2)}\n` : withBreak(outcome.text);
    if (outcome.holds) keepAnswer(words, outcome.holds, text);
    await print(1, text);
    return outcome.exit ?? 0;
  } catch (error) {
    await printFailure(error, json);
    return exitCode(error);
  }
}

/** If standard output is closed, the error is printed on standard error. */
async function printFailure(error: unknown, json: boolean): Promise<boolean> {
  const forPeople = () => print(2, printError(error, process.stderr.isTTY ? coloured : plain));
  if (!json) return forPeople();
  return print(1, `${JSON.stringify({ error: errorJson(error) }, null, 2)}\n`).catch(forPeople);
}

export async function runWords(words: readonly string[], ports: Ports): Promise<Outcome> {
  const [name, ...rest] = verbFirst(words);
  if (name === '--version' || name === '-V' || name === 'version') {
    return { json: { version }, text: `gza ${version}` };
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const { overview, verbHelp } = await import('../commands/setup/help.ts');
    const about = name === 'help' ? rest.find((word) => !word.startsWith('-')) : undefined;
    return about === undefined ? overview(ports) : verbHelp((await load(about, ports)).spec, ports);
  }
  const command = await load(name, ports);
  const invocation = parse(command, rest, ports);
  if (invocation.options['help'])
    return (await import('../commands/setup/help.ts')).verbHelp(command.spec, ports);
  if (command.spec.forPeople) refuseAgents(command.spec.name, ports, invocation.args[0]);
  return command.run(invocation, ports);
}

/** Accepts global options before the verb: `gza --json list` is `gza list --json`. */
function verbFirst(words: readonly string[]): string[] {
  const isGlobal = (word: string) => ['--json', '--color', '--no-color'].includes(word);
  const at = words.findIndex((word) => !isGlobal(word));
  return at < 1 ? [...words] : [...words.slice(at), ...words.slice(0, at)];
}

async function load(name: string, ports: Ports): Promise<Command> {
  const verb = findVerb(name);
  if (verb) return verb.load();
  const near = nearestWord(
    name,
    verbs.map((one) => one.name),
  );
  throw new GzaError('usage', `unknown command "${name}"${near ? `: did you mean ${near}?` : ''}`, {
    hint: `${ports.program} --help lists all commands.`,
  });
}

function parse(command: Command, words: readonly string[], ports: Ports): Invocation {
  const { spec } = command;
  const [example] = spec.examples;
  const parsed = parseArguments(words, {
    arguments: words.includes('--help') || words.includes('-h') ? [] : spec.arguments,
    options: [...spec.options, ...globalOptions],
  });
  if (parsed.options['help']) return parsed;
  if (parsed.problems.length > 0) {
    throw new GzaError('usage', parsed.problems.join('\n'), {
      hint: `${ports.program} ${spec.name} --help shows what it takes${example ? `, for example:\n  ${calledAs(ports.program, example.command)}` : '.'}`,
    });
  }
  return parsed;
}

function errorJson(thrown: unknown): Record<string, unknown> {
  const error = foreseen(thrown);
  const message = error?.message ?? (thrown instanceof Error ? thrown.message : String(thrown));
  if (error === null) return { code: 'bug', message };
  return { code: error.code, message, ...(error.hint ? { hint: error.hint } : {}), ...error.data };
}

function withBreak(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

const stdinBytesMax = 10 << 20;

export function processPorts(): Ports {
  const { env, argv } = process;
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  return {
    cwd: currentFolder(),
    env,
    now: () => printTime(Date.now()),
    random: () => randomBytes(8).toString('hex'),
    program: basename(argv[1] ?? '').startsWith('git-tasks') ? 'git tasks' : 'gza',
    stdin: readStdin,
    get ask() {
      return process.stdin.isTTY && process.stderr.isTTY ? askPerson : undefined;
    },
    // Computed only on use: opening the stream takes longer than many verbs that need no colours.
    get style() {
      return wantsColour() ? coloured : plain;
    },
    get columns() {
      return process.stdout.isTTY ? process.stdout.columns : null;
    },
    // Failing to print progress must not stop the work.
    progress: (line) => void print(2, `${line}\n`).catch(() => {}),
    signal: stop.signal,
  };
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new GzaError('world', 'the current folder is gone', { hint: 'cd to one that is there.', cause });
  }
}

function wantsColour(): boolean {
  const { argv, env } = process;
  if (argv.includes('--no-color') || env['NO_COLOR']) return false;
  return argv.includes('--color') || (env['TERM'] !== 'dumb' && process.stdout.isTTY);
}

let typed: AsyncIterator<string> | undefined;

/**
 * Uses one reader for all questions, so that input typed ahead is not lost. Between questions it does not
 * keep the process alive.
 */
async function askPerson(question: string): Promise<string> {
  const { createInterface } = await import('node:readline');
  typed ??= createInterface({ input: process.stdin, terminal: false })[Symbol.asyncIterator]();
  await print(2, question);
  process.stdin.ref();
  const { value, done } = await typed.next();
  process.stdin.unref();
  if (done === true) throw new GzaError('lost', 'nobody answers, so nothing was written');
  return value;
}

async function readStdin(): Promise<string | null> {
  if (process.stdin.isTTY) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > stdinBytesMax)
      throw new GzaError('input', `standard input is over ${stdinBytesMax} bytes, the limit`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
