/** A task as `--json` prints it: stable names, null or [] where nothing is set. Documented in docs/json.md. */
import { linearIssue, type TaskView } from './board.ts';
import { standingVerdict } from './standing-verdict.ts';

export interface TaskRow {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly status: string;
  readonly group: string | null;
  readonly milestone: string | null;
  readonly priority: string | null;
  readonly depends_on: readonly string[];
  readonly blocked_by: readonly string[];
  readonly blocked_reasons: readonly string[];
  readonly parent: string | null;
  readonly branch: string | null;
  readonly assigned_agent: string | null;
  readonly claimed_by: string | null;
  readonly claimed_until: string | null;
  readonly review_cycle: number;
  readonly final_verdict: string | null;
  readonly created_at: string | null;
  readonly closed_at: string | null;
  readonly closed_commit: string | null;
  readonly tags: readonly string[];
}

/** What a list prints for each task. */
export function taskRow(view: TaskView): TaskRow {
  const { task, record, claim } = view;
  return {
    id: view.id,
    type: task.type,
    title: task.title,
    status: view.status,
    group: task.group ?? null,
    milestone: task.milestone ?? null,
    priority: task.priority ?? null,
    depends_on: task.depends_on ?? [],
    blocked_by: view.blockers.flatMap((blocker) => (blocker.id === undefined ? [] : [blocker.id])),
    blocked_reasons: view.blockers.map((blocker) => blocker.text),
    parent: task.parent ?? null,
    branch: branchOf(view),
    assigned_agent: task.assigned_agent ?? null,
    claimed_by: claim?.holder ?? null,
    claimed_until: claim?.until ?? null,
    review_cycle: record?.review_cycle ?? 0,
    final_verdict: standingVerdict(record),
    created_at: record?.created_at ?? null,
    closed_at: record?.closed_at ?? null,
    closed_commit: record?.closed_commit ?? null,
    tags: task.tags ?? [],
  };
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
    content: task.content,
    user_story: task.user_story ?? null,
    acceptance_criteria: task.acceptance_criteria ?? [],
    files_to_create: task.files_to_create ?? [],
    files_to_modify: task.files_to_modify ?? [],
    test_files: task.test_files ?? [],
    dependencies: task.depends_on ?? [],
    after: task.depends_on?.[0] ?? null,
    milestone_id: task.milestone ?? null,
    estimated_complexity: task.estimated_complexity ?? null,
    same_branch: task.same_branch ?? false,
    plan_file: task.plan_file ?? null,
    project: task.project ?? null,
    linear_issue_id: linearIssue(view),
    file: view.file ?? null,
    file_changed: view.changed ?? false,
    created_by: record?.created_by ?? null,
    started_at: record?.started_at ?? null,
    closed_as: record?.closed_as ?? null,
    closed_reason: record?.closed_reason ?? null,
    notes: record?.notes ?? [],
    implementation_notes: record?.implementation_notes ?? null,
    attempts: record?.attempts ?? 0,
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
