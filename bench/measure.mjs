/**
 * One command: wall time and CPU time (its own and that of the processes it waited for) by bash's `time`, which
 * counts in milliseconds; peak memory of the largest process by looking at /proc in a run of its own, since
 * looking costs time. Where there is no /proc, memory is not told.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const runMsMax = 180_000;

export function timeOnce({ argv, cwd, env }) {
  const script = 'TIMEFORMAT="%3R %3U %3S"; time "$@" >/dev/null 2>&1 </dev/null; exit $?';
  const ran = spawnSync('bash', ['-c', script, 'bash', ...argv], {
    cwd,
    env,
    encoding: 'utf8',
    timeout: runMsMax,
  });
  const [wall, user, system] = ran.stderr
    .trim()
    .split(' ')
    .map((text) => Number(text) * 1000);
  return { ok: ran.status === 0, wallMs: wall, cpuMs: user + system };
}

/** Megabytes; null when it cannot be told. */
export function peakMemory({ argv, cwd, env }) {
  if (!existsSync('/proc/self/status')) return Promise.resolve(null);
  return new Promise((resolve) => {
    const child = spawn(argv[0], argv.slice(1), { cwd, env, stdio: 'ignore' });
    let peak = 0;
    const look = () => {
      for (const pid of family(child.pid)) peak = Math.max(peak, highWater(pid));
    };
    const timer = setInterval(look, 2);
    const end = () => {
      clearInterval(timer);
      resolve(peak === 0 ? null : peak / 1024);
    };
    child.on('exit', end);
    child.on('error', end);
  });
}

function family(pid) {
  const all = [pid];
  for (const one of all) {
    try {
      for (const thread of readdirSync(`/proc/${one}/task`)) {
        const children = readFileSync(`/proc/${one}/task/${thread}/children`, 'utf8').trim();
        if (children) all.push(...children.split(' ').map(Number));
      }
    } catch {
      // It ended while it was looked at.
    }
  }
  return all;
}

function highWater(pid) {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/**
 * Every command in turn, again and again, so that what else the machine does falls on all of them alike. One run
 * of each before that does not count. A command that takes long gets fewer runs.
 */
export async function measureAll(commands, { runs, budgetMs }) {
  const samples = new Map(commands.map((command) => [command, []]));
  const spent = new Map();
  const isAlive = (command) => !samples.get(command).some(({ ok }) => !ok);
  for (const command of commands) {
    const first = timeOnce(prepared(command));
    spent.set(command, first.wallMs);
    if (!first.ok) samples.get(command).push(first);
  }
  for (let n = 0; n < runs; n++) {
    for (const command of commands) {
      if (!isAlive(command) || (n >= 1 && spent.get(command) > budgetMs)) continue;
      const one = timeOnce(prepared(command));
      samples.get(command).push(one);
      spent.set(command, spent.get(command) + one.wallMs);
    }
  }
  const results = [];
  for (const command of commands) {
    const all = samples.get(command);
    if (!isAlive(command)) results.push({ ...command, failed: true });
    else
      results.push({
        ...command,
        wallMs: median(all.map(({ wallMs }) => wallMs)),
        cpuMs: median(all.map(({ cpuMs }) => cpuMs)),
        runs: all.length,
        memoryMb: await peakMemory(prepared(command)),
      });
  }
  return results;
}

/** What must happen before each run, outside the time; arguments may depend on it. */
function prepared(command) {
  const argv = command.prepare?.() ?? command.argv;
  return { ...command, argv };
}
