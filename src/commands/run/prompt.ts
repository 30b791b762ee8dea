import type { Command } from '../../app/command.ts';
import { localFacts } from '../../app/facts/facts.ts';
import { loadProject } from '../../app/project.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { type StepName, stepNames, stepOfType } from '../../core/ledger/record/record.ts';
import { decideTask } from '../../core/policy/decide.ts';
import { promptOf } from '../../engine/perform/step-prompt.ts';

export const command: Command = {
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
