import type { Command, Outcome } from '../../app/command.ts';
import { openProject, refuseAgents } from '../../app/project.ts';
import { GzaError } from '../../core/errors.ts';
import { oneLine } from '../../core/markdown/neutralise.ts';
import { count } from '../../core/text/terminal/lines.ts';
import { cleanLedgers } from '../../ledger/fold.ts';
import { fsckLedgers } from '../../ledger/fsck.ts';
import type { GitLedger } from '../../ledger/git-ledger.ts';
import { forgetLedger } from '../../ledger/heal.ts';

const named = 10;

function unreadable(namespace: string, branches: readonly string[]): string {
  const fetches = branches
    .slice(0, named)
    .map((branch) => `  git fetch --refetch <remote> ${oneLine(`${namespace}/${branch}`, 300)}`);
  return [
    'What cannot be read is left as it is, and nothing is recorded there meanwhile.',
    'An object comes back from a clone that has it: move its damaged file away, if there is one, and',
    ...fetches,
    'Where nobody has it, git may refuse to fetch at all: `gza fsck --forget <branch>` gives that ledger up for good.',
    'A damaged file of a ref can be removed: what gza wrote there last comes back by itself, or with gza sync.',
  ].join('\n');
}

const mendable = new Set(['state', 'history', 'unreadable']);

function incomplete(namespace: string): string {
  return [
    'A history that does not begin here is the rest of a shallow clone, and comes whole with',
    `  git fetch --unshallow <remote> '+${namespace}/*:refs/gza/<remote>/tasks/*'`,
    'What never was a ledger is given up with `gza fsck --forget <branch>`.',
  ].join('\n');
}

/** Gives up only a damaged ledger. The tasks of a healthy one should be closed or folded. */
async function giveUp(ledger: GitLedger, branch: string): Promise<Outcome> {
  const { findings } = await fsckLedgers(ledger);
  const { refs, view } = await ledger.look();
  if (view.tip(branch) !== null && !findings.some((one) => one.branch === branch)) {
    throw new GzaError('input', `nothing is wrong with the ledger of ${branch}; it is not given up`, {
      hint: 'Close its tasks instead. `gza fsck --clean` folds the ledgers of deleted branches.',
    });
  }
  if (!(await forgetLedger(ledger.store, refs, branch)))
    throw new GzaError('input', `there is no ledger of ${branch} to give up`);
  return { json: { forgotten: branch }, text: `the ledger of ${branch} is given up` };
}

export const command: Command = {
  spec: {
    name: 'fsck',
    summary: 'replay the history of every ledger and compare it with its tree',
    arguments: [],
    options: [
      {
        name: 'repair',
        type: 'flag',
        help: 'write the tree that the history gives, on top, and bring lost ledgers back',
      },
      {
        name: 'forget',
        type: 'text',
        value: '<branch>',
        help: 'give up the ledger of a branch for good, lost or unreadable as it is',
      },
      {
        name: 'clean',
        type: 'flag',
        help: 'also fold the ledgers of deleted branches, and drop old backups',
      },
    ],
    examples: [{ command: 'gza fsck', shows: '2 ledgers: all good' }],
  },
  run: async ({ options }, ports) => {
    const forget = options['forget'] as string | undefined;
    if (options['repair'] || options['clean'] || forget !== undefined)
      refuseAgents('fsck --repair, --clean and --forget', ports);
    const { ledger } = await openProject(ports);
    if (forget !== undefined) return giveUp(ledger, forget);
    const found = await fsckLedgers(ledger, { repair: options['repair'] === true });
    const cleaned = options['clean'] ? await cleanLedgers(ledger, ports.now()) : null;
    const wrong = found.findings.filter(({ branch }) => !found.repaired.includes(branch));
    const lines = found.findings.map(({ branch, kind, detail }) => `${branch}: ${kind}: ${detail}`);
    if (found.repaired.length > 0) lines.push(`repaired: ${found.repaired.join(', ')}`);
    if (cleaned)
      lines.push(
        `folded ${count(cleaned.folded.length, 'ledger')} of deleted branches, dropped ${count(cleaned.backups, 'backup')}`,
      );
    if (wrong.some(({ kind }) => mendable.has(kind)) && !options['repair'])
      lines.push('gza fsck --repair writes what the history gives.');
    const held = wrong.filter(({ kind }) => kind === 'unreadable' || kind === 'damaged');
    const branches = [...new Set(held.map(({ branch }) => branch))];
    if (held.length > 0) lines.push(unreadable(ledger.store.namespace, branches));
    if (wrong.some(({ kind }) => kind === 'incomplete')) lines.push(incomplete(ledger.store.namespace));
    const left = found.checked - (cleaned?.folded.length ?? 0);
    const sum = `${count(left, 'ledger')}: ${found.findings.length === 0 ? 'all good' : count(found.findings.length, 'finding')}`;
    return { exit: wrong.length > 0 ? 1 : 0, json: { ...found, cleaned }, text: [...lines, sum].join('\n') };
  },
};
