/** A verb as data: parsed by parse-arguments.ts, printed as help, man page and completion. */
export interface OptionSpec {
  /** Long name without dashes. */
  readonly name: string;
  readonly short?: string;
  /** `flag` takes no value; `many` may be given several times. */
  readonly type: 'flag' | 'text' | 'number' | 'many';
  /** A flag that may be given a number: `--review`, `--review 2`. */
  readonly orNumber?: boolean;
  /** Shown in help: `--for <time>`. */
  readonly value?: string;
  readonly help: string;
  /** Allowed values; completion offers them. */
  readonly choices?: readonly string[];
  /** Other long names for the same option. */
  readonly aliases?: readonly string[];
}

export interface ArgumentSpec {
  readonly name: string;
  readonly required?: boolean;
  readonly many?: boolean;
  /** Completion offers the existing ids, groups or files. */
  readonly completes?: 'id' | 'group' | 'file';
}

export interface Example {
  readonly command: string;
  readonly shows: string;
}

export interface CommandSpec {
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
  readonly details?: string;
  readonly examples: readonly Example[];
  /** Rewrites what others rely on, so it is refused when an agent runs it. */
  readonly forPeople?: boolean;
}

/** The choices as text for people; an empty choice removes the value. */
export function choicesText(choices: readonly string[]): string {
  const named = choices.filter((choice) => choice !== '').join(', ');
  return choices.includes('') ? `${named}, or "" for none` : named;
}

/** Without the empty choice, which completion cannot offer. */
export function shownChoices({ choices }: Pick<OptionSpec, 'choices'>): string[] {
  return choices?.filter((choice) => choice !== '') ?? [];
}
