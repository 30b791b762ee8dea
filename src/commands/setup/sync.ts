import type { Command } from '../../app/command.ts';
import { openProject } from '../../app/project.ts';
import { tellTrackers } from '../../app/share/tell-trackers.ts';
import { warnJoined } from '../../app/warnings.ts';
import { syncText } from '../../core/text/terminal/joined.ts';
import { syncLedgers } from '../../ledger/sync/sync.ts';

export const command: Command = {
  spec: {
    name: 'sync',
    summary: 'share the state of tasks with a remote, through git alone',
    arguments: [{ name: 'remote' }],
    options: [
      {
        name: 'push',
        type: 'flag',
        help: 'send what the remote lacks (the default); --no-push only fetches',
      },
    ],
    examples: [{ command: 'gza sync', shows: 'fetches from origin, joins, pushes' }],
  },
  run: async ({ args, options }, ports) => {
    const opened = await openProject(ports);
    const { ledger } = opened;
    const remote = args[0] ?? 'origin';
    const push = options['push'] !== false;
    const wanted = { remote, push, tell: warnJoined(ledger, ports) };
    const synced = await syncLedgers(ledger, wanted);
    const told = push ? await tellTrackers(opened, ports) : { lines: [], wrote: false };
    if (told.wrote) await syncLedgers(ledger, wanted);
    return {
      json: { ...synced, renamed: Object.fromEntries(synced.renamed) },
      text: [syncText(remote, synced), ...told.lines].join('\n'),
    };
  },
};
