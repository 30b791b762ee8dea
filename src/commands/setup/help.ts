import type { Outcome, Ports } from '../../app/command.ts';
import type { CommandSpec } from '../../core/arguments/command-spec.ts';
import { overviewText, usageLine, verbHelpText } from '../../core/text/help/help.ts';
import { verbGroups, verbs } from '../commands.ts';
import { globalOptions } from '../global-options.ts';

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
