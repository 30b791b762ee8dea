/** Help of the program and of one verb. */
import {
  type ArgumentSpec,
  type CommandSpec,
  choicesText,
  type OptionSpec,
} from '../../arguments/command-spec.ts';
import type { Style } from '../terminal/lines.ts';

export interface VerbLine {
  readonly name: string;
  readonly summary: string;
}

export interface VerbGroupLines {
  readonly title: string;
  readonly verbs: readonly VerbLine[];
}

export function overviewText(program: string, groups: readonly VerbGroupLines[], style: Style): string {
  const width = Math.max(...groups.flatMap((group) => group.verbs.map((verb) => verb.name.length))) + 2;
  const sections = groups.map((group) =>
    [
      style.bold(group.title),
      ...group.verbs.map((verb) => `  ${verb.name.padEnd(width)}${verb.summary}`),
    ].join('\n'),
  );
  return [
    `${style.bold(program)}: tasks in files and git refs, run by coding agents, reviewed, in pull requests`,
    `usage: ${program} <command> [arguments]`,
    ...sections,
    `${program} <command> --help has more; every command takes --json.\nExit status: 0 done, 1 something failed, 2 a mistake or a refusal, 3 blocked or held by someone else.`,
  ].join('\n\n');
}

/** Replaces `gza` in an example with the name under which the program was called, such as `git tasks`. */
export function calledAs(program: string, command: string): string {
  return command.replaceAll(/(?<=^|[|(] ?)gza(?= )/g, program);
}

export function usageLine(program: string, spec: CommandSpec): string {
  const args = spec.arguments.map(argumentText);
  return [program, spec.name, ...args, ...(spec.options.length > 0 ? ['[options]'] : [])].join(' ');
}

export function argumentText({ name, required, many }: ArgumentSpec): string {
  const text = `<${name}>${many ? '…' : ''}`;
  return required ? text : `[${text}]`;
}

export function verbHelpText(
  program: string,
  spec: CommandSpec,
  globals: readonly OptionSpec[],
  style: Style,
): string {
  const options = [...spec.options, ...globals];
  const heads = options.map(optionHead);
  const width = Math.max(...heads.map((head) => head.length)) + 2;
  const optionLines = options.map(
    (option, at) => `  ${(heads[at] as string).padEnd(width)}${optionHelp(option)}`,
  );
  return [
    `${style.bold(`${program} ${spec.name}`)}: ${spec.summary}`,
    `usage: ${usageLine(program, spec)}`,
    ...(spec.details ? [spec.details] : []),
    [style.bold('Options'), ...optionLines].join('\n'),
    ...(spec.examples.length > 0
      ? [
          [
            style.bold('Examples'),
            ...spec.examples.map((one) => `  ${calledAs(program, one.command)}\n      ${one.shows}`),
          ].join('\n'),
        ]
      : []),
  ].join('\n\n');
}

export function optionHead(option: OptionSpec): string {
  const short = option.short ? `-${option.short}, ` : '';
  const value = option.value ?? (option.type === 'flag' ? '' : '<value>');
  return `${short}--${[option.name, ...(option.aliases ?? [])].join(', --')}${value && ` ${value}`}`;
}

function optionHelp(option: OptionSpec): string {
  const choices = option.choices ? ` (${choicesText(option.choices)})` : '';
  return option.help + choices + (option.type === 'many' ? '; may be given several times' : '');
}
