import { cleanLedgers } from '../ledger/clean.ts';
import { fsckLedgers } from '../ledger/fsck.ts';
import type { Command } from './command.ts';
import { open } from './project.ts';
import { refuseAgents } from './refuse-agents.ts';

export const command: Command = {
  spec: {
    name: 'fsck',
    summary: 'replay the history of every ledger and compare it with its tree',
    arguments: [],
    options: [
      { name: 'repair', type: 'flag', help: 'write the tree that the history gives, on top' },
      {
        name: 'clean',
        type: 'flag',
        help: 'also fold the ledgers of deleted branches, and drop old backups',
      },
    ],
    examples: [{ command: 'gza fsck', shows: '2 ledgers: all good' }],
  },
  run: async ({ options }, ports) => {
    if (options['repair'] || options['clean']) refuseAgents('fsck --repair and --clean', ports);
    const { ledger } = await open(ports);
    const found = await fsckLedgers(ledger, { repair: options['repair'] === true });
    const cleaned = options['clean'] ? await cleanLedgers(ledger, { at: ports.now() }) : null;
    const wrong = found.findings.filter(({ branch }) => !found.repaired.includes(branch));
    const lines = found.findings.map(({ branch, kind, detail }) => `${branch}: ${kind}: ${detail}`);
    if (found.repaired.length > 0) lines.push(`repaired: ${found.repaired.join(', ')}`);
    if (cleaned)
      lines.push(
        `folded ${cleaned.folded.length} ledgers of deleted branches, dropped ${cleaned.backups} backups`,
      );
    if (wrong.length > 0 && !options['repair'])
      lines.push('gza fsck --repair writes what the history gives.');
    const sum = `${found.checked} ${found.checked === 1 ? 'ledger' : 'ledgers'}: ${found.findings.length === 0 ? 'all good' : `${found.findings.length} findings`}`;
    return { exit: wrong.length > 0 ? 1 : 0, json: { ...found, cleaned }, text: [...lines, sum].join('\n') };
  },
};
