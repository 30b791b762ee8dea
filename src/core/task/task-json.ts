/** A task as `--json` prints it: stable names, null or [] where nothing is set. See docs/json.md. */
import { linearIssue, type TaskView } from '../board/board.ts';
import { attemptsOf, standingVerdict } from '../policy/steps-so-far.ts';
import type { Task } from './task.ts';
import { allRows, isList } from './task-fields.ts';

/** What a list prints for each task. */
export function taskRow(view: TaskView): Record<string, unknown> {
  const { record, claim } = view;
  return {
    id: view.id,
    ...fieldsPrinted(view.task, 'row'),
    status: view.status,
    blocked_by: view.blockers.flatMap((blocker) => (blocker.id === undefined ? [] : [blocker.id])),
    blocked_reasons: view.blockers.map((blocker) => blocker.text),
    branch: branchOf(view),
    claimed_by: claim?.holder ?? null,
    claimed_until: claim?.until ?? null,
    review_cycle: record?.review_cycle ?? 0,
    final_verdict: standingVerdict(record),
    created_at: record?.created_at ?? null,
    closed_at: view.closedAt ?? null,
    closed_commit: record?.closed_commit ?? null,
  };
}

/** The table's fields for this kind of output. Unset fields print as null, [] or false. */
function fieldsPrinted(task: Task, where: FieldRow['json']): Record<string, unknown> {
  const printed = allRows.filter(([, row]) => row.json === where);
  return Object.fromEntries(printed.map(([name, row]) => [name, task[name as keyof Task] ?? unset(row)]));
}

function unset(row: FieldRow): null | false | [] {
  if (isList(row)) return [];
  return row.kind === 'flag' ? false : null;
}

/** The branch that a task was filed on, or the one it works on now. */
export function branchAtHome({ record, task, branch }: TaskView, base: string): string {
  const lane = record?.lane?.folded_at === undefined ? record?.lane?.branch : undefined;
  return lane ?? task.branch ?? branch ?? base;
}

export function branchOf(view: TaskView): string | null {
  return view.record?.lane?.branch ?? view.task.branch ?? null;
}

/** Resolved settings that `show` prints beside the task's own fields. */
interface ShownSettings {
  readonly max_attempts: number;
  readonly max_review_cycles: number;
  readonly auto_review: boolean;
  readonly create_review: boolean;
  readonly agents: readonly string[];
}

/** Every field of a task: for `show --json`, and for commands that file or change one task. */
export function taskJson(view: TaskView, settings: ShownSettings): Record<string, unknown> {
  const { task, record } = view;
  return {
    ...taskRow(view),
    ...fieldsPrinted(task, 'whole'),
    dependencies: task.depends_on ?? [],
    after: task.depends_on?.[0] ?? null,
    milestone_id: task.milestone ?? null,
    linear_issue_id: linearIssue(view),
    file: view.file ?? null,
    file_changed: view.changed ?? false,
    created_by: record?.created_by ?? null,
    started_at: record?.started_at ?? null,
    closed_as: record?.closed_as ?? null,
    closed_reason: record?.closed_reason ?? null,
    notes: record?.notes ?? [],
    implementation_notes: record?.implementation_notes ?? null,
    attempts: attemptsOf(view),
    error: record?.error ?? null,
    stop: record?.stop ?? null,
    approved_at: record?.approved_at ?? null,
    approved_by: record?.approved_by ?? null,
    lane: record?.lane ?? null,
    pull_request: record?.pull_request ?? null,
    steps: record?.steps ?? [],
    cost_usd: record?.cost_usd ?? 0,
    input_tokens: record?.input_tokens ?? 0,
    output_tokens: record?.output_tokens ?? 0,
    seconds: record?.seconds ?? 0,
    children: view.children,
    ...settings,
  };
}

/**
 * What a field holds. A list may be written as a single value; options separate `names` and `ids` by commas.
 */
interface Values {
  id: string;
  word: string;
  line: string;
  text: string;
  path: string;
  branch: string;
  /** One model for the first agent, or a model for each agent by its name. */
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
  /** The values of a choice. */
  readonly values?: readonly string[];
  /** The range of a count. */
  readonly range?: readonly [number, number];
  /** A description for editors and docs, in Markdown. */
  readonly about: string;
  /** An addition that only docs show. */
  readonly more?: string;
  readonly example?: string | readonly string[];
  /** The name that files use, if it differs from the one in `--json`. */
  readonly written?: string;
  /** More names that files may use. */
  readonly aliases?: readonly string[];
  /** The value when nothing sets it. */
  readonly builtIn?: string | number | boolean | readonly string[];
  /** `file`: the header of a file may set it for all its tasks. `defaults`: its `defaults:` may. */
  readonly shared?: 'file' | 'defaults';
  /**
   * The field may change after the claim, and then the ledger's value wins over the file's. `edited`: people
   * change it with `gza edit`. `recorded`: only other events change it.
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
  /** The placeholder for its value in help; flags have none. */
  readonly value?: string;
  readonly help: string;
  readonly short?: string;
  readonly aliases?: readonly string[];
  /** What the flag sets, if not true. */
  readonly sets?: string;
}

/** The tables of docs/tasks.md. */
export type DocSection = 'what' | 'order' | 'files' | 'work';

export type ValueOf<R extends FieldRow> = R['kind'] extends keyof Values
  ? Values[R['kind']]
  : R extends { readonly values: readonly (infer V)[] }
    ? V
    : never;
