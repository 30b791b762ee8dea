import type { Command, Outcome, Ports } from '../../app/command.ts';
import { localFacts } from '../../app/facts/facts.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { findTask } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { type StepName, stepNames, stepOfType } from '../../core/ledger/record/record.ts';
import { decide, decideTask } from '../../core/policy/decide.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import { actionText } from '../../core/text/terminal/why.ts';
import { agentOrder, chooseAgent } from '../../engine/loop/plan-step.ts';
import type { WorkRequest } from '../../engine/loop/work-run.ts';
import { promptOf } from '../../engine/perform/perform.ts';

export const prompt: Command = {
  spec: {
    name: 'prompt',
    summary: 'what an agent would be sent for a task',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    details: 'Templates are in .gza/prompts/<step>.md of the base branch, where a repository has its own.',
    options: [
      {
        name: 'step',
        type: 'text',
        value: '<step>',
        help: 'for this step; else the next',
        choices: stepNames,
      },
    ],
    examples: [{ command: 'gza prompt task-a3f8 --step review', shows: 'the whole prompt of a review' }],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const { action } = decideTask(view, await localFacts(project));
    const next = action.kind === 'run' ? action.step : stepOfType(view.task.type);
    const step = (options['step'] as StepName | undefined) ?? next;
    const cycle =
      action.kind === 'run' ? action.cycle : (view.record?.review_cycle ?? 0) + (step === 'review' ? 1 : 0);
    const prompt = await promptOf(project, view, step, cycle);
    return { json: { id: view.id, step, prompt }, text: prompt };
  },
};

export async function dryRun(
  project: Project,
  request: WorkRequest,
  ports: Ports,
  prompts: boolean,
): Promise<Outcome> {
  const facts = await localFacts(project);
  const parallelWorkers = request.choice.parallel ?? facts.parallelWorkers;
  const settings: typeof facts.settings = (task) => ({
    ...facts.settings(task),
    agents: agentOrder({ settings: project.settings(task), choice: request.choice }),
  });
  const isAsked = ({ id, task }: TaskView) => {
    if (request.group !== undefined && task.group !== request.group) return false;
    return typeof request.scope === 'string' || request.scope.includes(id);
  };
  const decisions = decide({ ...facts, parallelWorkers, settings }, isAsked).filter(({ task }) => {
    const view = project.board.views.get(task);
    return view !== undefined && isAsked(view);
  });
  const wanted = decisions.filter(({ action }) => action.kind !== 'wait' && action.kind !== 'nothing');
  const shown = request.scope === 'next' ? wanted.slice(0, 1) : wanted;
  const rows = await Promise.all(
    shown.map(async (decision) => {
      const view = project.board.views.get(decision.task);
      const { action } = decision;
      if (!view || action.kind !== 'run') return { ...decision, agent: null, prompt: null };
      const chosen = chooseAgent(action.step, {
        view,
        settings: project.settings(view.task),
        config: project.config,
        choice: request.choice,
        limits: facts.limits,
        now: ports.now(),
      });
      const prompt = prompts ? await promptOf(project, view, action.step, action.cycle) : null;
      return { ...decision, agent: chosen?.agent ?? null, prompt };
    }),
  );
  const lines = rows.flatMap((row) => {
    const title = shorten(project.board.views.get(row.task)?.task.title ?? '', 60);
    const line = `would ${actionText(row)}: ${row.task} ${title}${row.agent ? ` (with ${row.agent})` : ''}`;
    return row.prompt === null ? [line] : [line, row.prompt.replaceAll(/^/gm, '    ')];
  });
  const waits = decisions.filter(({ action }) => action.kind === 'wait').length;
  if (waits > 0) lines.push(`(${waits} wait)`);
  return { json: rows, text: lines.length > 0 ? lines.join('\n') : 'Nothing would be done.' };
}
