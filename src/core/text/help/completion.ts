/** Shell completion scripts. Verbs and options come from the specs; for task ids they call the program. */
import { type CommandSpec, type OptionSpec, shownChoices } from '../../arguments/command-spec.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

export interface CompletionInput {
  readonly specs: readonly CommandSpec[];
  readonly globals: readonly OptionSpec[];
}

export function completionScript(shell: Shell, input: CompletionInput): string {
  switch (shell) {
    case 'bash':
      return bash(input);
    case 'zsh':
      return `autoload -U +X bashcompinit && bashcompinit\n${bash(input)}`;
    case 'fish':
      return fish(input);
  }
}

function bash({ specs, globals }: CompletionInput): string {
  const cases = specs.map((spec) => {
    const options = [...spec.options, ...globals].map((option) => `--${option.name}`).join(' ');
    const takesId = spec.arguments.some((argument) => argument.completes === 'id');
    return `    ${spec.name}) options="${options}"; ids=${takesId ? 1 : 0} ;;`;
  });
  const choices = specs.flatMap((spec) =>
    spec.options
      .filter((option) => option.choices)
      .map(
        (option) =>
          `    ${spec.name}:--${option.name}) COMPREPLY=($(compgen -W "${shownChoices(option).join(' ')}" -- "$word")); return ;;`,
      ),
  );
  return `_gza_words() {
  local word="$1" verb="$2" previous="$3" options="" ids=0
  case "$verb:$previous" in
${choices.join('\n')}
  esac
  case "$verb" in
${cases.join('\n')}
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ $ids == 1 ]]; then
    COMPREPLY=($(compgen -W "$(gza list --all --ids 2>/dev/null)" -- "$word"))
  fi
}
_gza() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [[ $COMP_CWORD == 1 ]]; then
    COMPREPLY=($(compgen -W "${specs.map((spec) => spec.name).join(' ')} help" -- "$word"))
  else
    _gza_words "$word" "\${COMP_WORDS[1]}" "\${COMP_WORDS[COMP_CWORD-1]}"
  fi
}
# git's own completion calls this for "git tasks".
_git_tasks() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [[ $COMP_CWORD == 2 ]]; then
    COMPREPLY=($(compgen -W "${specs.map((spec) => spec.name).join(' ')}" -- "$word"))
  else
    _gza_words "$word" "\${COMP_WORDS[2]}" "\${COMP_WORDS[COMP_CWORD-1]}"
  fi
}
complete -o default -F _gza gza
complete -o default -F _gza git-tasks
`;
}

function fish({ specs, globals }: CompletionInput): string {
  const quote = (text: string) => `'${text.replaceAll("'", "\\'")}'`;
  const none = "not __fish_seen_subcommand_from (string split ' ' -- $gza_verbs)";
  const lines = [`set -g gza_verbs ${quote(specs.map((spec) => spec.name).join(' '))}`, 'complete -c gza -f'];
  for (const spec of specs) {
    lines.push(`complete -c gza -n ${quote(none)} -a ${spec.name} -d ${quote(spec.summary)}`);
    const here = quote(`__fish_seen_subcommand_from ${spec.name}`);
    for (const option of [...spec.options, ...globals]) {
      const short = option.short ? ` -s ${option.short}` : '';
      const value = option.type === 'flag' ? '' : ' -r';
      const choices = option.choices ? ` -f -a ${quote(shownChoices(option).join(' '))}` : '';
      lines.push(
        `complete -c gza -n ${here} -l ${option.name}${short}${value}${choices} -d ${quote(option.help)}`,
      );
    }
    if (spec.arguments.some((argument) => argument.completes === 'id')) {
      lines.push(`complete -c gza -n ${here} -a '(gza list --all --ids 2>/dev/null)'`);
    }
  }
  return `${lines.join('\n')}\n`;
}
