import type { Command } from '../../app/command.ts';
import { openProject, warnJoined } from '../../app/project.ts';
import { updateTrackers } from '../../app/share/share.ts';
import { syncText } from '../../core/text/terminal/joined.ts';
import { shorten } from '../../core/text/terminal/lines.ts';
import { porcelain } from '../../git/porcelain.ts';
import { foldDeleted } from '../../ledger/fold.ts';
import { trackedTips } from '../../ledger/sync/remote-refs.ts';
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
    const { ledger, repository } = opened;
    const remote = args[0] ?? 'origin';
    const remotes = await porcelain(repository.git.cwd, (git) => git.getRemotes());
    const shared = await trackedTips(ledger.store, remote);
    const folded = await foldDeleted(ledger, ports.now(), (branch) => shared.has(branch));
    const home = folded.map(
      (branch) => `the branch ${shorten(branch)} is gone: its tasks are in the base ledger now`,
    );
    // Without a remote, folding lanes is still a result.
    if (remotes.length === 0 && args[0] === undefined && folded.length > 0) {
      const text = [...home, 'there is no remote to share with'].join('\n');
      return { json: { folded }, text };
    }
    const push = options['push'] !== false;
    const wanted = { remote, push, tell: warnJoined(ledger, ports) };
    const synced = await syncLedgers(ledger, wanted);
    const told = push ? await updateTrackers(opened, ports) : { lines: [], wrote: false };
    if (told.wrote) await syncLedgers(ledger, wanted);
    return {
      json: { ...synced, renamed: Object.fromEntries(synced.renamed), folded },
      text: [...home, syncText(remote, synced), ...told.lines].join('\n'),
    };
  },
};
