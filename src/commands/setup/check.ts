import type { Command } from '../../app/command.ts';
import { type OpenedProject, openProject, scorer } from '../../app/project.ts';
import { buildGraph } from '../../core/board/graph.ts';
import { printCycle } from '../../core/board/strong-components.ts';
import { modelFault, settingOf } from '../../core/config/config.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import { isPastComplexity } from '../../core/sizing/score.ts';
import { type CheckedBacklog, checkBacklog, taskProblem } from '../../core/task/check-backlog.ts';
import type { FileTask, TaskSettings } from '../../core/task/task.ts';
import { count } from '../../core/text/terminal/lines.ts';
import { type Problem, printProblems } from '../../core/yaml/problem.ts';

export const command: Command = {
  spec: {
    name: 'check',
    summary: 'validate all task files, filed tasks and the configuration; runs nothing',
    arguments: [],
    options: [],
    examples: [
      {
        command: 'gza check',
        shows: 'tasks/auth.yml:3:1: depend_on is not a field of a task: did you mean depends_on?',
      },
    ],
  },
  run: async (_invocation, ports) => {
    const opened = await openProject(ports);
    const whole = await opened.backlog.read({ whole: true });
    const view = await opened.ledger.view();
    const filed = new Map((await view.rows()).map(({ record }) => [record.id, record]));
    const names = new Set(whole.tasks.map(({ task }) => task.id));
    const open = [...filed.values()].filter((one) => !one.closed_at && !names.has(one.id)).map(filedTask);
    const checked = checkBacklog({
      tasks: [...whole.tasks, ...open],
      problems: whole.problems,
      filed,
      base: view.base,
    });
    const byGraph = graphProblems(checked, (id) => filed.get(id)?.closed_at !== undefined);
    const problems = [...checked.problems, ...byGraph.circles];
    const tasks = checked.tasks.filter(({ task }) => names.has(task.id));
    const fresh = tasks.filter(({ task }) => !isPastComplexity(filed.get(task.id) ?? null));
    const warned = [
      ...problems,
      ...sizeProblems(opened, fresh),
      ...budgetProblems(opened, fresh),
      ...modelProblems(opened, fresh),
      ...byGraph.warnings,
    ];
    const errors = problems.filter((problem) => problem.severity === 'error');
    const also = open.length > 0 ? `, ${open.length} filed` : '';
    const sum = `${count(tasks.length, 'task')} in files${also}, ${count(errors.length, 'error')}, ${count(warned.length - errors.length, 'warning')}`;
    return {
      exit: errors.length > 0 ? 2 : 0,
      json: { tasks: tasks.length, problems: warned },
      text: warned.length > 0 ? `${printProblems(warned)}\n${sum}` : `${sum}: all good`,
    };
  },
};

/** This task is in no file, so messages name it `filed` instead. */
function filedTask(task: TaskRecord): FileTask {
  return { task, defaults: {}, file: 'filed', line: 0, column: 0, order: 0 };
}

/** A task whose budget is larger than the run's or the day's would never start. */
function budgetProblems({ config }: OpenedProject, tasks: readonly FileTask[]): Problem[] {
  const least = Math.min(
    config.budget.run ?? Number.POSITIVE_INFINITY,
    config.budget.day ?? Number.POSITIVE_INFINITY,
  );
  return tasks.flatMap((one) => {
    const { id, budget } = one.task;
    if (budget === undefined || budget <= least) return [];
    const message = `${id} may cost $${budget}, but gza.yaml gives all of a run or a day $${least}, so it would not start`;
    return [taskProblem(one, 'budget', message, { severity: 'warning' })];
  });
}

/**
 * Finds models that belong to another agent, because the agent would refuse them only after money was spent.
 */
function modelProblems({ config }: OpenedProject, tasks: readonly FileTask[]): Problem[] {
  const reviews = config.task_types.review;
  return tasks.flatMap((one) => {
    const { task, defaults } = one;
    const settingHere = <F extends keyof TaskSettings>(field: F) => settingOf(field, task, defaults, config);
    const [first = ''] = settingHere('agents');
    const asked: [keyof TaskSettings, TaskSettings['model'], string][] = [
      ['model', settingHere('model'), first],
      ['review_model', settingHere('review_model'), first],
    ];
    if (settingHere('auto_review'))
      asked.push(['auto_review', reviews?.model, reviews?.agents?.[0] ?? first]);
    return asked.flatMap(([field, models = {}, plain]) =>
      Object.entries(typeof models === 'string' ? { [plain]: models } : models).flatMap(([agent, model]) => {
        const fault = modelFault(agent, model, config.agents);
        if (fault === null) return [];
        const which = typeof models === 'string' ? `${agent}, its first agent,` : agent;
        const message = `${task.id} asks ${which} for ${model}: ${fault}. Name a model of each agent, for example model: {claude: opus, codex: gpt-5.5}`;
        return [taskProblem(one, field, message, { severity: 'warning' })];
      }),
    );
  });
}

/**
 * Problems of the whole graph: circles through parents and children, and file conflicts without a wait
 * because it would close a circle.
 */
function graphProblems({ tasks, bad }: CheckedBacklog, isClosed: (id: string) => boolean) {
  const byId = new Map(tasks.map((one) => [one.task.id, one]));
  const graph = buildGraph(tasks.map(({ task }) => ({ ...task, closed: isClosed(task.id) })));
  const warnings = graph.warnings.flatMap(({ id, message }) => {
    const one = byId.get(id);
    return one
      ? [taskProblem(one, 'files_to_modify', message.replace(/^#/, ''), { severity: 'warning' })]
      : [];
  });
  const circles = graph.cycles.flatMap((circle) =>
    circle.slice(1).flatMap((id) => {
      const one = bad.has(id) ? undefined : byId.get(id);
      return one ? [taskProblem(one, 'parent', `${id} waits for itself: ${printCycle(circle)}`)] : [];
    }),
  );
  return { warnings, circles };
}

/** Size problems are warnings, since they are only advice. */
function sizeProblems(opened: OpenedProject, tasks: readonly FileTask[]): Problem[] {
  const score = scorer(
    opened,
    tasks.map(({ task }) => task),
  );
  return tasks.flatMap((one) =>
    score(one.task).warnings.map(({ limit, message }) =>
      taskProblem(one, fieldOf[limit] ?? 'id', message.replace(/^#/, ''), { severity: 'warning' }),
    ),
  );
}

const fieldOf: Readonly<Record<string, string>> = {
  max_files_to_create: 'files_to_create',
  max_files_to_modify: 'files_to_modify',
  max_acceptance_criteria: 'acceptance_criteria',
};
