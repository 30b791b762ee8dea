import type { Command } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { shorten } from '../../core/text/terminal/task-line.ts';
import { toSecond } from '../../core/time.ts';

export const command: Command = {
  spec: {
    name: 'agents',
    summary: 'who holds what, since when, until when',
    arguments: [],
    options: [],
    examples: [{ command: 'gza agents', shows: 'live claims, and usage limits that agents met' }],
  },
  run: async (_invocation, ports) => {
    const project = await loadProject(ports);
    const { board, view } = project;
    const now = ports.now();
    const claims = board.claims.map((claim) => ({ ...claim, alive: claim.until > now }));
    const limits = Object.entries((await view.meta(view.base))?.not_before ?? {}).filter(
      ([, until]) => until > now,
    );
    const lines = claims.map((claim) => {
      const title = board.views.get(claim.task)?.task.title;
      const until = `${claim.alive ? 'until' : 'ran out'} ${toSecond(claim.until)}`;
      return `${shorten(claim.holder)}: ${claim.task}${title ? ` ${shorten(title)}` : ''}, since ${toSecond(claim.at)}, ${until}`;
    });
    for (const [agent, until] of limits) lines.push(`${agent}: usage limit until ${toSecond(until)}`);
    const assigned = [...board.views.values()].filter(
      (one) => one.task.assigned_agent && !one.record?.closed_at,
    );
    for (const one of assigned) {
      if (!one.claim)
        lines.push(`${one.task.assigned_agent}: ${one.id} ${shorten(one.task.title)}, assigned`);
    }
    const json = {
      claims,
      limits: Object.fromEntries(limits),
      assigned: assigned.map((one) => ({ id: one.id, agent: one.task.assigned_agent })),
    };
    return { json, text: lines.length > 0 ? lines.join('\n') : 'Nobody holds anything.' };
  },
};
