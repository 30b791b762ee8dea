/** A ledger with far too much in it costs itself, and no other. */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openSandbox, type Sandbox } from './cli.ts';

/** Little more than what is read, as git takes its time for so much. */
const largeBytes = 40 << 20;

interface Hands {
  readonly feed: (input: string, ...args: string[]) => string;
  /** The entries of the lane's tree, without one. */
  readonly without: (name: string) => string[];
  readonly large: string;
}

type Made = { readonly tree: string; readonly message?: string };

const cases: [name: string, file: RegExp, make: (hands: Hands) => Made][] = [
  [
    'about',
    /ledger\.json: it has 40 MB/,
    ({ feed, without, large }) => ({
      tree: feed([...without('ledger.json'), `100644 blob ${large}\tledger.json\n`].join('\n'), 'mktree'),
    }),
  ],
  [
    'tasks',
    /tasks\.jsonl: it has 40 MB|task-\S+ is missing from its tree/,
    ({ feed, without, large }) => ({
      tree: feed([...without('tasks.jsonl'), `100644 blob ${large}\ttasks.jsonl\n`].join('\n'), 'mktree'),
    }),
  ],
  [
    'files',
    /plans\/\d+\.md is not what the events say/,
    ({ feed, without }) => {
      const blob = feed('x', 'hash-object', '-w', '--stdin');
      const rows = Array.from({ length: 100_000 }, (_, n) => `100644 blob ${blob}\t${n}.md\n`).join('');
      const plans = feed(rows, 'mktree');
      return { tree: feed([...without('plans'), `040000 tree ${plans}\tplans\n`].join('\n'), 'mktree') };
    },
  ],
  [
    'message',
    /its commit: it has 36 MB/,
    ({ feed, without }) => ({
      tree: feed([...without('nothing'), ''].join('\n'), 'mktree'),
      message: `x\n\n${'x'.repeat((36 << 20) - 1_000)}`,
    }),
  ],
];

/** The most memory that a call took, in MB; the call may fail. */
async function measured(box: Sandbox, args: readonly string[], cwd: string) {
  const told = join(box.dir, 'rss');
  const script = join(box.dir, 'rss.cjs');
  writeFileSync(
    script,
    `process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(told)}, String(process.resourceUsage().maxRSS)));`,
  );
  const env = { NODE_OPTIONS: `${box.env['NODE_OPTIONS'] ?? ''} --require=${script}` };
  const ran = await box.gza(args, { cwd, env });
  expect(Number(readFileSync(told, 'utf8')) / 1024).toBeLessThan(400);
  return ran;
}

test('ledgers with far more in them than anyone needs hold back none but themselves', async () => {
  await using box = openSandbox();
  const remote = join(box.dir, 'remote.git');
  box.git('init', '-q', '--bare', '-b', 'main', remote);
  box.git('remote', 'add', 'origin', remote);
  box.git('push', '-q', 'origin', 'main');
  await box.add('First');
  for (const [name] of cases) {
    box.git('checkout', '-q', '-b', name, 'main');
    await box.add(`Of ${name}`);
  }
  await box.says('sync');
  const [synced, plain] = ['synced', 'plain'].map((name) => ({ cwd: join(box.dir, name), env: box.env }));
  for (const { cwd } of [synced, plain] as { cwd: string }[]) {
    box.git('clone', '-q', remote, cwd);
    await box.says('sync', { cwd });
  }

  const feed = (input: string, ...args: string[]) =>
    execFileSync('git', args, { cwd: box.repo, env: box.env, input, encoding: 'utf8' }).trim();
  const path = join(box.dir, 'large');
  closeSync(openSync(path, 'w'));
  truncateSync(path, largeBytes);
  const large = feed('', 'hash-object', '-w', path);
  rmSync(path);
  const alone: string[] = [];
  for (const [name, , make] of cases) {
    const ref = `refs/tasks/${name}`;
    const entries = box.git('ls-tree', ref).split('\n');
    const without = (file: string) => entries.filter((one) => !one.endsWith(`\t${file}`));
    const { tree, message = 'x' } = make({ feed, without, large });
    // On top of what is known, and as something that never was a ledger.
    box.git('push', '-q', 'origin', `${feed(message, 'commit-tree', '-p', ref, tree)}:${ref}`);
    const other = feed(message, 'commit-tree', tree);
    box.git('push', '-q', 'origin', `${other}:refs/tasks/alone-${name}`);
    alone.push(`alone-${name}`);
  }

  const all = new RegExp(['First', ...cases.map(([name]) => `Of ${name}`)].join('[^]*'));
  const { cwd } = plain as { cwd: string };
  execFileSync('git', ['fetch', '-q', 'origin', '+refs/tasks/*:refs/tasks/*'], { cwd, env: box.env });
  const listed = await measured(box, ['list'], cwd);
  expect([listed.code, listed.stdout]).toEqual([0, expect.stringMatching(all)]);
  const told = await measured(box, ['sync'], (synced as { cwd: string }).cwd);
  for (const [name, file] of cases) {
    expect(listed.stderr).toMatch(new RegExp(`ledger of ${name}: .*${file.source}`));
    expect(told.stdout + told.stderr).toMatch(new RegExp(`${name}: .*${file.source}`));
  }
  expect(await box.says('list', synced)).toMatch(all);
  const fsck = await measured(box, ['fsck'], cwd);
  const named = new Set([...fsck.stdout.matchAll(/^([a-z-]+): [a-z]+: /gm)].map(([, branch]) => branch));
  expect([fsck.code, named]).toEqual([1, new Set(alone)]);
  // What never was a ledger is given up, as it says.
  expect(fsck.stdout).toContain('gza fsck --forget <branch>');
  for (const branch of alone) await box.gza(['fsck', '--forget', branch], plain);
  expect(await box.says('fsck', plain)).toMatch(/all good\n$/);
});
