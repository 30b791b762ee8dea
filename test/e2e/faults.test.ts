/** Each runner × each way to be ended in the middle: nothing is lost, nobody is blamed, and the next run goes on at once. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Ran } from './cli.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

/** What a task's agent does; `git tasks run` has it commit and mark its task done by itself. */
const half = 'echo half >> half.txt; touch "$D/at"; wait_for "$D/go"';
const tasks =
  'tasks:\n  - { id: a, type: implement, title: Task a, prompt: Do it. }\n  - { id: b, title: Task b, after: a }\n';

interface Runner {
  readonly words: (shop: Workshop) => readonly string[];
  /** How its agent ends what it does. */
  readonly ends: string;
  /** Text of the file that was begun, wherever it is kept. */
  readonly kept: (shop: Workshop) => string;
}

const runners: Readonly<Record<string, Runner>> = {
  'git tasks run': {
    words: ({ dir }) => ['run', '--delay', '0', '--runner', join(dir, 'bin', 'agent-x')],
    ends: 'git add -A; git commit -q -m "Do it"; git tasks done $GZA_TASK',
    kept: ({ repo }) => readFileSync(join(repo, 'half.txt'), 'utf8'),
  },
  'gza work': {
    words: () => ['work', '--all'],
    ends: 'echo done',
    kept: (shop) => `${shop.git('show', 'gza/a:half.txt')}\n`,
  },
};

interface Fault {
  readonly strike: (shop: Workshop, pid: number) => Promise<void> | void;
  /** -1: it was killed. */
  readonly code: number;
  /** The running task is still brought to its end. */
  readonly finishes?: boolean;
}

const signals = async (pid: number, ...names: NodeJS.Signals[]) => {
  for (const name of names) {
    process.kill(-pid, name);
    await sleep(200);
  }
};

const faults: Readonly<Record<string, Fault>> = {
  // Its group too: a terminal that is closed sends the hang-up to all that it started.
  'a hang-up': { strike: (_, pid) => signals(pid, 'SIGHUP'), code: 130 },
  'a request to end': { strike: (_, pid) => void process.kill(pid, 'SIGTERM'), code: 130 },
  'Ctrl-C twice': { strike: (_, pid) => signals(pid, 'SIGINT', 'SIGINT'), code: 130 },
  'Ctrl-C once': {
    strike: async (shop, pid) => {
      await signals(pid, 'SIGINT');
      shop.write('../go', '');
    },
    code: 130,
    finishes: true,
  },
  'kill -9': { strike: (_, pid) => void process.kill(pid, 'SIGKILL'), code: -1 },
};

/** Ctrl-C and `kill -9` under `gza work` are played in work-run.test.ts, with more tasks and at more moments. */
const playedThere = ['Ctrl-C twice', 'Ctrl-C once', 'kill -9'];

const matrix = Object.entries(runners).flatMap(([name, runner]) =>
  Object.entries(faults)
    .filter(([fault]) => name !== 'gza work' || !playedThere.includes(fault))
    .map(([fault, given]) => ({ name, fault, runner, given })),
);

async function begun(shop: Workshop): Promise<void> {
  for (let n = 0; n < 1_200 && !existsSync(join(shop.dir, 'at')); n += 1) await sleep(25);
}

describe.each(matrix)('$name: $fault', ({ runner, given }) => {
  test('keeps the work, blames nobody, and lets the next run go on', async () => {
    await using shop = openWorkshop({ tasks, agents: { x: `${half}; ${runner.ends}` } });
    const { pid, ended } = shop.start(...runner.words(shop));
    await begun(shop);
    await given.strike(shop, pid);
    const first: Ran = await ended;
    expect([first.code, first.stderr]).toEqual([given.code, '']);
    if (given.code >= 0) {
      expect(shop.strays()).toEqual([]);
      expect(runner.kept(shop)).toBe('half\n');
      expect(await shop.json('agents')).toMatchObject({ claims: [] });
    }
    const { status } = await shop.json<{ status: string }>('show a');
    if (given.finishes) expect(status).toBe('completed');
    expect(await shop.json('show b')).toMatchObject({ attempts: 0, notes: [] });

    shop.write('../go', '');
    const next = await shop.gza(runner.words(shop));
    expect([next.code, next.stdout]).toEqual([0, expect.stringContaining('✓ Task #b completed')]);
    for (const id of ['a', 'b'])
      expect(await shop.json(`show ${id}`)).toMatchObject({ status: 'completed', attempts: 0, notes: [] });
    expect(shop.strays()).toEqual([]);
  });
});
