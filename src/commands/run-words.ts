/** Words → verb → outcome, for both fronts. */
import { GzaError } from '../core/errors.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { parseArguments } from '../core/parse-arguments.ts';
import { calledAs } from '../core/text/help.ts';
import { version } from '../version.ts';
import { type Command, type Invocation, type Outcome, type Ports } from './command.ts';
import { findVerb, verbs } from './commands.ts';
import { globalOptions } from './global-options.ts';
import { refuseAgents } from './refuse-agents.ts';

export async function runWords(words: readonly string[], ports: Ports): Promise<Outcome> {
  const [name, ...rest] = verbFirst(words);
  if (name === '--version' || name === '-V' || name === 'version') {
    return { json: { version }, text: `gza ${version}` };
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const { overview, verbHelp } = await import('./help.ts');
    const about = name === 'help' ? rest.find((word) => !word.startsWith('-')) : undefined;
    return about === undefined ? overview(ports) : verbHelp((await load(about, ports)).spec, ports);
  }
  const command = await load(name, ports);
  const invocation = parse(command, rest, ports);
  if (invocation.options['help']) return (await import('./help.ts')).verbHelp(command.spec, ports);
  if (command.spec.forPeople) refuseAgents(command.spec.name, ports, invocation.args[0]);
  return command.run(invocation, ports);
}

/** `gza --json list` is `gza list --json`. */
function verbFirst(words: readonly string[]): string[] {
  const isGlobal = (word: string) => ['--json', '--color', '--no-color'].includes(word);
  const at = words.findIndex((word) => !isGlobal(word));
  return at < 1 ? [...words] : [...words.slice(at), ...words.slice(0, at)];
}

async function load(name: string, ports: Ports): Promise<Command> {
  const verb = findVerb(name);
  if (verb) return (await verb.load()).command;
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
