/** What a review or an improve judges by: the texts, the criteria and the plans of all tasks whose work it is about. */
import type { Project } from '../../app/project.ts';
import type { TaskView } from '../../core/board/board.ts';
import { compareText } from '../../core/natural-compare.ts';
import type { Task } from '../../core/task/task.ts';
import type { StepJob } from '../engine.ts';

const tasksMax = 20;

/** The task as it is told: with what it is about, where that is another task, or more than one. */
export async function reviewedTask(
  project: Project,
  view: TaskView,
  subject: TaskView,
  job: StepJob,
): Promise<Task> {
  const isLone = subject.id !== view.id;
  const all = job.step === 'review' || isLone ? await workOfLane(project, subject) : [];
  const works = all.some(({ id }) => id === subject.id) ? all : [subject];
  if (works.length === 1 && !isLone) return view.task;
  const parts = works.length === 1 ? new Map<string, readonly string[]>() : partsOfDiff(works, job);
  const criteria = works.flatMap(({ task }) => task.acceptance_criteria ?? []);
  const own = !isLone || view.record?.created_by === 'gza' ? [] : [view.task.content];
  const told = works.map((one) => toldOf(one, parts.get(one.id)));
  return {
    ...view.task,
    content: [...own, 'The work that it is about:', ...told].join('\n\n'),
    ...(view.task.acceptance_criteria || criteria.length === 0 ? {} : { acceptance_criteria: criteria }),
    ...(subject.task.user_story ? { user_story: subject.task.user_story } : {}),
    ...union('files_to_create', works),
    ...union('files_to_modify', works),
    ...union('test_files', works),
  };
}

function toldOf({ id, task }: TaskView, commits: readonly string[] = []): string {
  const story = task.user_story === undefined ? [] : [`User story: ${task.user_story}`];
  const part = commits.length === 0 ? [] : [`Its part of the diff: ${commits.join(', ')}`];
  return [`${id}: ${task.title}`, task.content, ...story, ...part].join('\n\n');
}

function union(field: 'files_to_create' | 'files_to_modify' | 'test_files', works: readonly TaskView[]) {
  const files = [...new Set(works.flatMap(({ task }) => task[field] ?? []))];
  return files.length === 0 ? {} : { [field]: files };
}

/** The tasks that worked on the lane, in the order of their first step, with all texts. */
async function workOfLane(project: Project, subject: TaskView): Promise<TaskView[]> {
  const lane = subject.record?.lane;
  if (lane === undefined) return [];
  const worked = [...project.board.views.values()].filter(
    ({ record }) => record?.lane?.branch === lane.branch,
  );
  const whole = await Promise.all(
    worked.slice(0, tasksMax).map(async (one) => {
      const located = await project.view.task(one.id);
      return located ? { ...one, record: located.record, task: located.record } : one;
    }),
  );
  const begun = ({ record }: TaskView): string => heads(record?.steps)[0]?.ended_at ?? '';
  // The board leaves out the steps of what is closed.
  const done = whole.filter(({ record }) => heads(record?.steps).length > 0);
  return done.toSorted((a, b) => compareText(begun(a), begun(b)));
}

type Steps = NonNullable<TaskView['record']>['steps'];

function heads(steps: Steps) {
  return (steps ?? []).filter(
    ({ step, head }) => head !== undefined && (step === 'implement' || step === 'improve'),
  );
}

/** Ranges of commits by task. A rebase may have taken them away: then there are none. */
function partsOfDiff(works: readonly TaskView[], { lane }: StepJob): Map<string, string[]> {
  const parts = new Map<string, string[]>();
  if (!lane || works.some(({ record }) => record?.lane?.rebased !== undefined)) return parts;
  const steps = works
    .flatMap(({ id, record }) => heads(record?.steps).map((step) => ({ id, ...step })))
    .toSorted((a, b) => compareText(a.ended_at, b.ended_at));
  let from: string = lane.compareWith;
  for (const { id, head = from } of steps) {
    if (head === from) continue;
    parts.set(id, [...(parts.get(id) ?? []), `git diff ${from.slice(0, 12)}..${head.slice(0, 12)}`]);
    from = head;
  }
  return parts;
}
