/** A row of the table of task fields: what it says of a field. */
/** What a field holds. Lists may be written as a single value; `names` and `ids` are parted by commas in options. */
interface Values {
  id: string;
  word: string;
  line: string;
  text: string;
  path: string;
  branch: string;
  /** One word for the first agent, or a word for each agent by its name. */
  model: string | Record<string, string>;
  milestone: string;
  flag: boolean;
  /** A whole number. */
  count: number;
  minutes: number;
  dollars: number;
  names: string[];
  ids: string[];
  paths: string[];
  lines: string[];
}
export type Kind = keyof Values | 'choice';

export interface FieldRow {
  readonly kind: Kind;
  /** Of a choice. */
  readonly values?: readonly string[];
  /** Of a count. */
  readonly range?: readonly [number, number];
  /** For editors and docs, in Markdown. */
  readonly about: string;
  /** What docs say besides. */
  readonly more?: string;
  readonly example?: string | readonly string[];
  /** The name that files use, where it is another one than in `--json`. */
  readonly written?: string;
  /** More names that files may use. */
  readonly aliases?: readonly string[];
  /** What holds when nothing sets it. */
  readonly builtIn?: string | number | boolean | readonly string[];
  /** `file`: the header of a file may set it for all its tasks. `defaults`: its `defaults:` may. */
  readonly shared?: 'file' | 'defaults';
  /**
   * It may change after the claim, and then the ledger's value holds, not the file's: `edited` by people with
   * `gza edit`, or only `recorded` as what happens.
   */
  readonly afterClaim?: 'edited' | 'recorded';
  readonly option?: FieldOption;
  /** `row`: printed by every list. `whole`: printed with the whole task. */
  readonly json?: 'row' | 'whole';
  /** The label in `gza show`. */
  readonly show?: string;
  readonly section: DocSection;
}

export interface FieldOption {
  readonly name: string;
  /** What stands for its value in help; not for flags. */
  readonly value?: string;
  readonly help: string;
  readonly short?: string;
  readonly aliases?: readonly string[];
  /** What the flag sets, when it is not true. */
  readonly sets?: string;
}

/** The tables of docs/tasks.md. */
export type DocSection = 'what' | 'order' | 'files' | 'work';

/** The value that a row's field holds. */
export type ValueOf<R extends FieldRow> = R['kind'] extends keyof Values
  ? Values[R['kind']]
  : R extends { readonly values: readonly (infer V)[] }
    ? V
    : never;

/** Every name under which a file may give the field; the first is the one that docs use. */
export function namesOf(name: string, { written, aliases = [] }: FieldRow): readonly string[] {
  return written === undefined ? [name, ...aliases] : [written, name, ...aliases];
}

export function isList({ kind }: FieldRow): boolean {
  return kind === 'names' || kind === 'ids' || kind === 'paths' || kind === 'lines';
}
