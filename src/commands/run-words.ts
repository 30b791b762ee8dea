/** Words → verb → outcome, for both fronts. */
import { GzaError } from '../core/errors.ts';
import { nearestWord } from '../core/nearest-word.ts';
import { parseArguments } from '../core/parse-arguments.ts';
import { version } from '../version.ts';
import { type Command, type Invocation, type Outcome, type Ports } from './command.ts';
import { findVerb, verbs } from './commands.ts';
import { globalOptions } from './global-options.ts';
import { refuseAgents } from './refuse-agents.ts';

export async function runWords(words: readonly string[], ports: Ports): Promise<Outcome> {
  const name = words[0];
  if (name === '--version' || name === '-V' || name === 'version') {
    return { json: { version }, text: `gza ${version}` };
  }
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    const { overview, verbHelp } = await import('./help.ts');
    const about = name === 'help' ? words[1] : undefined;
    return about === undefined ? overview(ports) : verbHelp((await load(about, ports)).spec, ports);
  }
  const command = await load(name, ports);
  const invocation = parse(command, words.slice(1), ports);
  if (invocation.options['help']) return (await import('./help.ts')).verbHelp(command.spec, ports);
  if (command.spec.forPeople) refuseAgents(command.spec.name, ports, invocation.args[0]);
  return command.run(invocation, ports);
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
  const parsed = parseArguments(words, {
    arguments: words.includes('--help') || words.includes('-h') ? [] : spec.arguments,
    options: [...spec.options, ...globalOptions],
  });
  if (parsed.options['help']) return parsed;
  if (parsed.problems.length > 0) {
    throw new GzaError('usage', parsed.problems.join('\n'), {
      hint: `${ports.program} ${spec.name} --help shows what it takes${spec.examples[0] ? `, for example:\n  ${spec.examples[0].command}` : '.'}`,
    });
  }
  return parsed;
}
