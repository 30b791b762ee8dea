/**
 * Finds every process of a run. The process group is not enough: all agents put their tool shells into
 * groups of their own, and what those start outlives the agent. So the run's id is in the environment,
 * which children inherit. A process that cleared its environment is still found, as a child of a marked
 * process or in the same session as one.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

export interface MarkedProcess {
  readonly pid: number;
  readonly ppid: number;
  readonly session: number;
  /** Processor time used so far. */
  readonly cpuMs: number;
}

interface Row extends MarkedProcess {
  readonly isMarked: boolean;
}

/** `sessions` holds the sessions seen so far; new ones are added to it. */
export async function markedProcesses(mark: string, sessions: Set<number>): Promise<MarkedProcess[]> {
  return related(await allProcesses(mark), sessions);
}

/** For the exit of this program, when nothing can be awaited. Only Linux can list processes synchronously. */
export function markedProcessesNow(mark: string, sessions: Set<number>): MarkedProcess[] {
  return process.platform === 'linux' ? related(linuxProcesses(mark), sessions) : [];
}

function related(rows: readonly Row[], sessions: Set<number>): MarkedProcess[] {
  const own = rows.find((row) => row.pid === process.pid);
  const others = rows.filter((row) => row.pid !== process.pid);
  const found = new Map(others.filter((row) => row.isMarked).map((row) => [row.pid, row]));
  for (const row of found.values())
    if (row.session > 0 && row.session !== own?.session) sessions.add(row.session);
  for (const row of others) if (sessions.has(row.session)) found.set(row.pid, row);
  // Children of children: each round goes one level deeper, until nothing new is found.
  for (let isGrowing = true; isGrowing; ) {
    const children = others.filter((row) => found.has(row.ppid) && !found.has(row.pid));
    for (const row of children) found.set(row.pid, row);
    isGrowing = children.length > 0;
  }
  return [...found.values()];
}

function allProcesses(mark: string): Promise<Row[]> | Row[] {
  if (process.platform === 'linux') return linuxProcesses(mark);
  return process.platform === 'win32' ? [] : psProcesses(mark);
}

function linuxProcesses(mark: string): Row[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      // The process name in parentheses may hold anything, so the fields are read after the last parenthesis.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z' || fields[0] === 'X') return [];
      const cpuMs = (Number(fields[11]) + Number(fields[12])) * 10;
      return [
        {
          pid: Number(pid),
          ppid: Number(fields[1]),
          session: Number(fields[3]),
          cpuMs,
          isMarked: hasMark(pid, mark),
        },
      ];
    } catch {
      return []; // it ended in the meantime
    }
  });
}

/** Memory of the process itself, without mapped files. */
export function anonymousBytes(pid: number): number {
  return bytesIn(`/proc/${pid}/status`, /^RssAnon:\s*(\d+) kB$/m);
}

/** Memory of the whole machine that holds files: tmpfs folders, and unnamed files that are held open. */
export function sharedBytes(): number {
  return bytesIn('/proc/meminfo', /^Shmem:\s*(\d+) kB$/m);
}

/** 0 where the system does not report it, or the process has ended. */
function bytesIn(path: string, line: RegExp): number {
  try {
    return Number(line.exec(readFileSync(path, 'latin1'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function hasMark(pid: string, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
  } catch {
    return false; // another user's process
  }
}

/** Best effort where there is no /proc: `ps -E` shows the environment of the user's own processes. */
function psProcesses(mark: string): Promise<Row[]> {
  const args = ['-Aww', '-E', '-o', 'pid=,ppid=,pgid=,state=,time=,command='];
  return new Promise((resolve) => {
    execFile('/bin/ps', args, { timeout: 5000, maxBuffer: 64 << 20 }, (_, stdout) => {
      resolve(stdout.split('\n').flatMap((line) => psRow(line, mark)));
    });
  });
}

function psRow(line: string, mark: string): Row[] {
  const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\s/.exec(line);
  if (!match || match[4]?.startsWith('Z')) return [];
  const seconds = Number(match[5] ?? 0) * 3600 + Number(match[6]) * 60 + Number(match[7]);
  const session = Number(match[3]);
  return [
    {
      pid: Number(match[1]),
      ppid: Number(match[2]),
      session,
      cpuMs: seconds * 1000,
      isMarked: line.includes(mark),
    },
  ];
}

const roundsMax = 40;
const roundMs = 25;

/** Kills the processes of a run whose own runner is gone. Returns how many there were. */
export async function endMarked(mark: string): Promise<number> {
  const sessions = new Set<number>();
  let found = 0;
  for (let round = 0; round < roundsMax; round += 1) {
    const processes = await markedProcesses(mark, sessions);
    if (processes.length === 0) return found;
    found = Math.max(found, processes.length);
    for (const { pid } of processes) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // gone already
      }
    }
    await new Promise((resolve) => setTimeout(resolve, roundMs));
  }
  return found;
}
