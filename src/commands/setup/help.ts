import type { Command, Outcome, Ports } from '../../app/command.ts';
import type { CommandSpec } from '../../core/arguments/command-spec.ts';
import { GzaError } from '../../core/errors.ts';
import { completionScript, type Shell, shells } from '../../core/text/help/completion.ts';
import { overviewText, usageLine, verbHelpText } from '../../core/text/help/help.ts';
import { globalOptions, verbGroups, verbs } from '../commands.ts';

export function overview(ports: Ports): Outcome {
  return {
    json: { commands: verbs.map(({ name, summary }) => ({ name, summary })) },
    text: overviewText(ports.program, verbGroups, ports.style),
  };
}

export function verbHelp(spec: CommandSpec, ports: Ports): Outcome {
  const { name, summary, arguments: args, options } = spec;
  return {
    json: {
      name,
      summary,
      usage: usageLine(ports.program, spec),
      arguments: args,
      options,
      examples: spec.examples,
      for_people: spec.forPeople === true,
    },
    text: verbHelpText(ports.program, spec, globalOptions, ports.style),
  };
}

export const completion: Command = {
  spec: {
    name: 'completion',
    summary: 'a completion script for your shell',
    arguments: [{ name: 'shell', required: true }],
    options: [],
    examples: [{ command: 'source <(gza completion bash)', shows: 'in ~/.bashrc; zsh and fish alike' }],
  },
  run: async ({ args }) => {
    const shell = args[0] as Shell;
    if (!shells.includes(shell)) {
      throw new GzaError('usage', `completion knows ${shells.join(', ')}; found "${shell}"`);
    }
    const specs = await Promise.all(verbs.map(async (verb) => (await verb.load()).spec));
    const text = completionScript(shell, { specs, globals: globalOptions });
    return { json: { shell, script: text }, text };
  },
};
