/** A task as `--json` prints it: stable names, null or [] where nothing is set. Documented in docs/json.md. */
import { linearIssue, type TaskView } from '../board/board.ts';
import { attemptsOf } from '../policy/next-step.ts';
import { standingVerdict } from '../policy/standing-verdict.ts';
import { type FieldRow, isList } from './field-row.ts';
import type { Task } from './task.ts';
import { allRows } from './task-fields.ts';

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

/** The fields of the table that are printed here; null, [] or false where nothing is set. */
function fieldsPrinted(task: Task, where: FieldRow['json']): Record<string, unknown> {
  const printed = allRows.filter(([, row]) => row.json === where);
  return Object.fromEntries(printed.map(([name, row]) => [name, task[name as keyof Task] ?? unset(row)]));
}

function unset(row: FieldRow): null | false | [] {
  if (isList(row)) return [];
  return row.kind === 'flag' ? false : null;
}

/** The branch that a task was filed on, or works on by now. */
export function branchAtHome({ record, task, branch }: TaskView, base: string): string {
  const lane = record?.lane?.folded_at === undefined ? record?.lane?.branch : undefined;
  return lane ?? task.branch ?? branch ?? base;
}

export function branchOf(view: TaskView): string | null {
  return view.record?.lane?.branch ?? view.task.branch ?? null;
}

/** Resolved settings that `show` prints beside the task's own fields. */
export interface ShownSettings {
  readonly max_attempts: number;
  readonly max_review_cycles: number;
  readonly auto_review: boolean;
  readonly create_review: boolean;
  readonly agents: readonly string[];
}

/** What `show --json` and whatever files or changes one task print: every field of a task. */
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
