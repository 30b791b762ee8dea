import type { Command } from '../../app/command.ts';
import { escalationsOf } from '../../app/facts/facts.ts';
import { loadProject, warnUnread } from '../../app/project.ts';
import { wholeViews } from '../../app/whole-tasks.ts';
import { detailLines, shorten } from '../../core/text/terminal/lines.ts';
import { findingLines, whereItIs } from '../../core/text/terminal/outline.ts';

export const escalations: Command = {
  spec: {
    name: 'escalations',
    summary: 'every task that waits for a person, why, and the commands that go on',
    arguments: [],
    options: [],
    examples: [{ command: 'gza escalations', shows: 'what needs you this morning' }],
  },
  run: async (_invocation, ports) => {
    const project = await loadProject(ports);
    warnUnread(project, ports);
    const waiting = escalationsOf(project);
    const views = await wholeViews(
      project,
      waiting.flatMap(({ id }) => project.board.views.get(id) ?? []),
    );
    const lines = waiting.flatMap(({ id, title, reason, detail, commands }, at) => {
      const view = views[at];
      const where = view ? whereItIs(view) : '';
      return [
        `${ports.style.bold(id)}: ${shorten(title, 80)} (${reason})`,
        ...detailLines(reason, detail).map((line) => `  ${line}`),
        ...(view ? findingLines(view).map((line) => `  ${line}`) : []),
        ...(where === '' ? [] : [`  ${where}`]),
        ...commands.map((one) => `  ${ports.style.dim(one)}`),
      ];
    });
    return { json: waiting, text: lines.length > 0 ? lines.join('\n') : 'Nothing waits for a person.' };
  },
};
