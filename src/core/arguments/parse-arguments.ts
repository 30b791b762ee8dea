/**
 * Parses the words after a verb by that verb's own table. It collects every problem, so that one run shows
 * them all. `--x=1` and `--x 1` are the same, `--no-x` turns a flag off, `--` ends the options, and short
 * flags may be combined.
 */
import { choicesText, shownChoices } from './command-spec.ts';
import { nearestWord } from './nearest-word.ts';

export interface OptionTable {
  readonly name: string;
  readonly short?: string;
  readonly type: 'flag' | 'text' | 'number' | 'many';
  readonly choices?: readonly string[];
  readonly aliases?: readonly string[];
  readonly orNumber?: boolean;
}

export interface ArgumentTable {
  readonly name: string;
  readonly required?: boolean;
  readonly many?: boolean;
}

export interface ParsedArguments {
  readonly args: string[];
  readonly options: Record<string, boolean | string | number | string[] | undefined>;
  readonly problems: string[];
}

export function parseArguments(
  words: readonly string[],
  table: { readonly options: readonly OptionTable[]; readonly arguments: readonly ArgumentTable[] },
): ParsedArguments {
  const parsed: ParsedArguments = { args: [], options: {}, problems: [] };
  // Reversed, because taking from the front would move all the others.
  const rest = words.toReversed();
  for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
    if (word === '--') {
      for (const one of rest.splice(0).reverse()) parsed.args.push(one);
    } else if (word.startsWith('--')) {
      takeLong(word, rest, table.options, parsed);
    } else if (/^-[A-Za-z]/.test(word)) {
      takeShort(word, rest, table.options, parsed);
    } else {
      parsed.args.push(word);
    }
  }
  checkCount(parsed, table.arguments);
  return parsed;
}

function takeLong(
  word: string,
  rest: string[],
  options: readonly OptionTable[],
  parsed: ParsedArguments,
): void {
  const equals = word.indexOf('=');
  const name = word.slice(2, equals < 0 ? undefined : equals);
  const value = equals < 0 ? undefined : word.slice(equals + 1);
  const negated = name.startsWith('no-') ? findLong(options, name.slice(3)) : undefined;
  const option = findLong(options, name) ?? (negated?.type === 'flag' ? negated : undefined);
  if (!option) {
    const known = options.flatMap((one) => [one.name, ...(one.aliases ?? [])]);
    const near = nearestWord(name, known);
    const meant = near ? findLong(options, near) : undefined;
    // Its value would otherwise count as an argument and cause a second problem.
    if (meant && meant.type !== 'flag' && value === undefined && !isOption(rest.at(-1), options)) rest.pop();
    parsed.problems.push(`unknown option --${name}${near ? `: did you mean --${near}?` : ''}`);
    return;
  }
  if (option.orNumber && option !== negated) {
    const number = value ?? (/^\d+$/.test(rest.at(-1) ?? '') ? rest.pop() : undefined);
    if (number === undefined) parsed.options[option.name] ??= true;
    else store({ ...option, type: 'number' }, number, parsed, `--${name}`);
    return;
  }
  if (option.type === 'flag') {
    if (value !== undefined) parsed.problems.push(`--${name} takes no value, found "${value}"`);
    else parsed.options[option.name] = option !== negated;
    return;
  }
  store(option, value ?? takeValue(rest, options), parsed, `--${name}`);
}

/** The next word, unless it is an option itself: `--note --json` lacks its text. `--note=--json` has one. */
function takeValue(rest: string[], options: readonly OptionTable[]): string | undefined {
  return isOption(rest.at(-1), options) ? undefined : rest.pop();
}

function isOption(word: string | undefined, options: readonly OptionTable[]): boolean {
  const name = word?.startsWith('--') ? word.slice(2).split('=')[0] : undefined;
  return (
    name !== undefined &&
    (findLong(options, name) ?? findLong(options, name.replace(/^no-/, ''))) !== undefined
  );
}

function findLong(options: readonly OptionTable[], name: string): OptionTable | undefined {
  return options.find((one) => one.name === name || one.aliases?.includes(name));
}

function takeShort(
  word: string,
  rest: string[],
  options: readonly OptionTable[],
  parsed: ParsedArguments,
): void {
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] as string;
    const option = options.find((one) => one.short === letter);
    if (!option) {
      parsed.problems.push(`unknown option -${letter}`);
      return;
    }
    if (option.type === 'flag') {
      parsed.options[option.name] = true;
      continue;
    }
    const attached = word.slice(at + 1).replace(/^=/, '');
    store(option, attached || takeValue(rest, options), parsed, `-${letter}`);
    return;
  }
}

function store(option: OptionTable, value: string | undefined, parsed: ParsedArguments, shown: string): void {
  if (value === undefined) {
    parsed.problems.push(`${shown} needs a value`);
    return;
  }
  if (option.choices && !option.choices.includes(value)) {
    const near = nearestWord(value, shownChoices(option));
    parsed.problems.push(
      `${shown} takes one of ${choicesText(option.choices)}; found "${value}"${near ? `, did you mean ${near}?` : ''}`,
    );
    return;
  }
  if (option.type === 'number') {
    const number = Number(value);
    if (value.trim() === '' || !Number.isFinite(number) || number < 0) {
      parsed.problems.push(`${shown} takes a number of 0 or more, found "${value}"`);
    } else {
      parsed.options[option.name] = number;
    }
    return;
  }
  if (option.type === 'many') {
    const before = (parsed.options[option.name] as string[] | undefined) ?? [];
    parsed.options[option.name] = [...before, value];
    return;
  }
  parsed.options[option.name] = value;
}

function checkCount(parsed: ParsedArguments, table: readonly ArgumentTable[]): void {
  for (const [at, { name, required }] of table.entries()) {
    if (required && parsed.args[at] === undefined) parsed.problems.push(`<${name}> is missing`);
  }
  const last = table.at(-1);
  if (!last?.many && parsed.args.length > table.length) {
    const extra = parsed.args.slice(table.length).map((word) => `"${word}"`);
    parsed.problems.push(`unexpected ${extra.join(', ')}`);
  }
}
