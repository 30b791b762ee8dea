import { agentName } from '../../app/actor.ts';
import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { refusalError, taskOutcome } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { GzaError } from '../../core/errors.ts';
import { shorten } from '../../core/text/terminal/task-line.ts';
import { releaseClaim } from '../../ledger/claim.ts';

export const command: Command = {
  spec: {
    name: 'release',
    summary: 'give a claimed task back, or take it from who holds it',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [{ command: 'gza release task-a3f8', shows: 'task-a3f8: released' }],
  },
  run: async ({ args }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const claim = view.claim ?? view.deadClaim;
    const agent = agentName(ports);
    if (claim && agent && claim.holder !== agent) {
      throw new GzaError(
        'refused',
        `${view.id} is held by ${claim.holder}; an agent gives back only its own`,
        {
          data: { holder: claim.holder },
        },
      );
    }
    if (claim) {
      const released = await releaseClaim(project.ledger, {
        claim: claim.id,
        at: ports.now(),
        why: 'released',
      });
      if (released.kind === 'refused' && released.why !== 'not-held') throw refusalError(released);
    }
    const text = claim
      ? `${view.id}: released (was held by ${shorten(claim.holder)})`
      : `${view.id}: nobody holds it`;
    return taskOutcome(project, view.id, ports, () => text);
  },
};
