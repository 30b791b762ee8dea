/** Makes man pages in roff, from the same specs as the help. */
import { type CommandSpec, choicesText, type OptionSpec } from '../../arguments/command-spec.ts';
import { argumentText, optionHead } from './help.ts';

export interface ManGroup {
  readonly title: string;
  readonly specs: readonly CommandSpec[];
}

export function manPage(
  program: 'gza' | 'git-tasks',
  version: string,
  groups: readonly ManGroup[],
  globals: readonly OptionSpec[],
): string {
  const called = program === 'git-tasks' ? 'git tasks' : 'gza';
  const sections = groups.flatMap((group) => [
    `.SS ${roff(group.title)}`,
    ...group.specs.flatMap(command(called)),
  ]);
  return `${[
    `.TH ${program.toUpperCase()} 1 "" "gza ${version}" "gza manual"`,
    '.SH NAME',
    `${program} \\- tasks in files and git refs, run by coding agents, reviewed, in pull requests`,
    '.SH SYNOPSIS',
    `.B ${called}`,
    '.I command',
    '[arguments] [options]',
    '.SH DESCRIPTION',
    'Tasks live as YAML under tasks/ or are filed into git refs under refs/tasks/. What happened to them is kept as',
    'git commits there: no database, no server, nothing in git status.',
    '.SH COMMANDS',
    ...sections,
    '.SH OPTIONS OF EVERY COMMAND',
    ...globals.flatMap(option),
    '.SH EXIT STATUS',
    '.TP\n0\ndone, also when there was nothing to do',
    '.TP\n1\ngit, the disk, the network or another program failed',
    '.TP\n2\na mistake in the command line, a file or an id, or a refusal; nothing was changed',
    '.TP\n3\nthe task is blocked, or someone else holds it',
    '.SH ENVIRONMENT',
    '.TP\nGZA_AGENT, ZAGI_AGENT\nset while an agent is at work: it may add tasks, append notes and mark its task done, and rewrites nothing',
    '.TP\nNO_COLOR\nno colour',
    '.SH FILES',
    '.TP\ntasks/**/*.yml\nthe backlog',
    '.TP\ngza.yaml\nthe configuration',
    '.TP\nrefs/tasks/<branch>\nstate and history of the tasks of a branch',
  ].join('\n')}\n`;
}

function command(called: string): (spec: CommandSpec) => string[] {
  return (spec) => [
    '.TP',
    `.B ${roff([called, spec.name, ...spec.arguments.map(argumentText)].join(' '))}`,
    roff(`${capital(spec.summary)}.${spec.details ? ` ${spec.details.replaceAll('\n', ' ')}` : ''}`),
    ...(spec.options.length > 0 ? ['.RS', ...spec.options.flatMap(option), '.RE'] : []),
  ];
}

function option(spec: OptionSpec): string[] {
  const choices = spec.choices ? ` (${choicesText(spec.choices)})` : '';
  return ['.TP', `.B ${roff(optionHead(spec))}`, roff(spec.help + choices)];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Escapes a dot or quote at the start, which would begin a roff request. Keeps dashes as typed. */
function roff(text: string): string {
  const escaped = text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}
