import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { cliFile, openSandbox, type Sandbox } from './cli.ts';

// oxlint-disable-next-line no-control-regex
const styling = /\u001b\[[0-9;]*m|\r/g;
const clear = '\u001b[H\u001b[2J';
// A terminal of its own, from util-linux; what is drawn is also tested without one.
const terminal = 'script';
const hasScript = /util-linux/.test(spawnSync(terminal, ['--version'], { encoding: 'utf8' }).stdout ?? '');

class Watched {
  out = '';
  readonly ended: Promise<number | null>;
  readonly child: ChildProcess;
  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (this.out += chunk));
    this.ended = new Promise((resolve) => child.on('close', resolve));
  }

  async seen(text: string): Promise<void> {
    for (let n = 0; n < 600 && !this.out.includes(text); n += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(this.out).toContain(text);
  }
}

function onTerminal({ repo, env }: Sandbox, rows: number, columns: number): Watched {
  const command = `stty rows ${rows} cols ${columns}; exec '${process.execPath}' '${cliFile}' watch --interval 0.1`;
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  return new Watched(
    spawn(terminal, ['-qfec', command, '/dev/null'], {
      cwd: repo,
      env: { ...env, TERM: 'xterm' },
      stdio: [...stdio],
    }),
  );
}

(hasScript ? test : test.skip)(
  'on a terminal the screen is drawn anew at each change, within its size, and else left alone',
  async () => {
    await using sandbox = openSandbox();
    for (let n = 0; n < 12; n += 1)
      await sandbox.add(`Task number ${n} with a title that is rather long for a narrow screen`);
    const watched = onTerminal(sandbox, 12, 50);
    try {
      await watched.seen('of 12 tasks');
      await sandbox.add('One more');
      await watched.seen('of 13 tasks');
      // Fifteen looks at the refs, with one at everything, and nothing is written.
      const before = watched.out.length;
      await new Promise((resolve) => setTimeout(resolve, 1500));
      expect(watched.out.length).toBe(before);
      const frames = watched.out.split(clear).slice(1);
      expect(frames).toHaveLength(2);
      for (const frame of frames) {
        const lines = frame.replaceAll(styling, '').trimEnd().split('\n');
        expect(lines.length).toBeLessThan(12);
        expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(50);
        expect(lines.at(-1)).toMatch(/and \d+ more/);
      }
    } finally {
      watched.child.kill('SIGTERM');
      await watched.ended;
    }
  },
);
