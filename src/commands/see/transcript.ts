/** The output of a task's agents in readable form, complete or live. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { agentNamed, agentNames } from '../../agents/agent-named.ts';
import type { AgentParser } from '../../agents/agents.ts';
import { printEvent } from '../../agents/run-agent.ts';
import { stripEscapes } from '../../agents/strip-escapes.ts';
import type { Ports } from '../../app/command.ts';
import { loadProject, type Project } from '../../app/project.ts';
import { stateDirOf } from '../../engine/loop/state-dir.ts';
import { readPlainFileSync } from '../../system/outside.ts';
import { print } from '../../system/print.ts';

/** Only the end of a longer log is read. */
const bytesMax = 4 << 20;
const pollMs = 500;

/** The task's logs on this machine, oldest first. */
async function logsOf(project: Project, id: string): Promise<string[]> {
  const dir = join(stateDirOf(project), 'logs');
  const names = await readdir(dir).catch(() => []);
  const own = names.filter(
    (name) => name.startsWith(`${id}-`) && /^-[0-9a-f-]{8}-[a-z]+\.log$/.test(name.slice(id.length)),
  );
  const files = await Promise.all(
    own.map(async (name) => ({ file: join(dir, name), at: (await stat(join(dir, name))).mtimeMs })),
  );
  return files.sort((a, b) => a.at - b.at).map(({ file }) => file);
}

export async function transcriptText(project: Project, id: string): Promise<string> {
  const files = await logsOf(project, id);
  const parts = await Promise.all(
    files.map(async (file) => {
      const offset = Math.max(0, (await stat(file)).size - bytesMax);
      const cut = offset > 0 ? [`(only the last ${bytesMax >> 20} MB of ${file})`] : [];
      return [`== ${file}`, ...cut, ...openReader()(readPlainFileSync(file, { offset, bytesMax }))].join(
        '\n',
      );
    }),
  );
  return parts.join('\n\n') || noLog(id);
}

const tailBytes = 16 << 10;

/** The last line that the task's agent printed; empty when it works on another machine. */
export async function lastLine(project: Project, id: string): Promise<string> {
  const file = (await logsOf(project, id)).at(-1);
  if (file === undefined) return '';
  const read = openReader();
  // The first line names the agent, which determines the parser.
  const head = readPlainFileSync(file, { offset: 0, bytesMax: 200 }).toString('utf8').split('\n')[0] ?? '';
  read(Buffer.from(`${head}\n`));
  const offset = Math.max(0, (await stat(file)).size - tailBytes);
  const lines = read(readPlainFileSync(file, { offset, bytesMax: tailBytes }));
  return lines.findLast((line) => line.trim() !== '' && !line.startsWith('#')) ?? '';
}

function noLog(id: string): string {
  return `No agent of ${id} left a log on this machine.`;
}

/** Prints new lines until nobody holds the task any more, or until Ctrl-C. */
export async function follow(project: Project, id: string, ports: Ports): Promise<void> {
  let [at, offset] = ['', 0];
  let read = openReader();
  // Between two steps of a loop nobody holds the task for a moment, so it looks twice before it ends.
  for (let looks = 0; !ports.signal.aborted; ) {
    const logs = await logsOf(project, id);
    const bytes = at === '' ? Buffer.alloc(0) : readPlainFileSync(at, { offset, bytesMax });
    offset += bytes.length;
    for (const line of read(bytes)) if (!(await print(1, `${line}\n`))) return;
    if (bytes.length > 0) continue;
    // Finishes a log before it opens the next one.
    const next = at === '' ? logs.at(-1) : logs[logs.indexOf(at) + 1];
    if (next !== undefined) {
      [at, offset, read] = [next, 0, openReader()];
      if (!(await print(1, `== ${next}\n`))) return;
    } else if (looks > 1) break;
    else {
      const claim = (await loadProject(ports, project)).board.views.get(id)?.claim;
      looks = claim ? 0 : looks + 1;
      await wait(pollMs, undefined, { signal: ports.signal }).catch(() => {});
    }
  }
  if (at === '') await print(1, `${noLog(id)}\n`);
}

/** Turns the bytes of a log into readable lines, piece by piece. */
function openReader(): (bytes: Buffer) => string[] {
  let rest = '';
  let parser: AgentParser | null = null;
  return (bytes) => {
    const lines = (rest + bytes.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    return lines.flatMap((line) => {
      // The first line of a log names the agent.
      const name = /^# ([a-z]+) /.exec(line)?.[1];
      if (parser === null && name !== undefined && agentNames.includes(name)) parser = parserOf(name);
      if (parser === null || line.startsWith('#')) return [stripEscapes(line)];
      return parser
        .line(line, 'stdout')
        .flatMap((event) => printEvent(event) ?? [])
        .map(stripEscapes);
    });
  };
}

function parserOf(name: string): AgentParser {
  const request = {
    prompt: '',
    cwd: '',
    home: '',
    access: 'read-only',
    model: undefined,
    keys: {},
    isRoot: false,
  } as const;
  return agentNamed(name).parser(request);
}
