/** A repository with tasks and scripted agents: each agent is a small shell script that really edits files. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cliFile, executable, openSandbox, type Ran, type Sandbox } from './cli.ts';

/** Words for the scripts: what they did is told by files, answers by standard output. */
const words = (dir: string): string => `#!/bin/sh
echo "$GZA_AGENT $GZA_TASK $GZA_STEP $GZA_CYCLE" >> '${dir}/runs'
# verdict <VERDICT> [claim of a blocker]
verdict() {
  if [ -n "$2" ]; then
    printf '\`\`\`json\\n{"findings":[{"severity":"blocker","file":"a.txt","line":1,"claim":"%s","evidence":"seen in a.txt","fix":"do it"}]}\\n\`\`\`\\n' "$2"
  fi
  printf '\\n**Verdict: %s**\\n\\nNonce: %s\\n' "$1" "$GZA_NONCE"
}
# wait_for <file>: bounded
wait_for() {
  n=0
  while [ ! -e "$1" ] && [ $n -lt 400 ]; do sleep 0.05; n=$((n+1)); done
}
D='${dir}'
cat > '${dir}/prompt.'"$GZA_TASK.$GZA_STEP.$$" 
`;

export interface RecordedStep {
  readonly step: string;
  readonly outcome: string;
  readonly head?: string;
}

export interface Workshop extends Sandbox {
  /** Makes an agent of this shell script; \`$D\` is a folder outside of the repository. */
  agent(name: string, script: string): void;
  /** Runs of agents so far: `agent task step cycle`. */
  runs(): string[];
  /** Prompts that were sent for a step of a task, in no order. */
  prompts(task: string, step: string): string[];
  /** `gza work …` with what it printed, both streams. */
  work(...args: string[]): Promise<Ran>;
  /** Starts a verb and gives its process. */
  start(...args: string[]): { pid: number; ended: Promise<Ran> };
  /** Processes that name this sandbox in their environment. */
  strays(): string[];
  record(id: string): Record<string, unknown> & { steps?: readonly RecordedStep[] };
}

export interface Given {
  /** Text of tasks/all.yml. */
  readonly tasks?: string;
  readonly config?: string;
  readonly agents?: Readonly<Record<string, string>>;
}

export function openWorkshop({ tasks, config = '', agents = {} }: Given): Workshop {
  const sandbox = openSandbox();
  const { dir } = sandbox;
  const agent = (name: string, script: string) =>
    void executable(dir, `agent-${name}`, `${words(dir)}\n${script}\n`);
  const lines = Object.keys(agents).map(
    (name) => `  ${name}: { command: ["${join(dir, 'bin', `agent-${name}`)}"], prompt_via: stdin }`,
  );
  for (const [name, script] of Object.entries(agents)) agent(name, script);
  const chosen = Object.keys(agents).join(', ');
  const base = lines.length > 0 ? `agents:\n${lines.join('\n')}\n` : '';
  const own = /^defaults:/m.test(config) || lines.length === 0 ? '' : `defaults: { agents: [${chosen}] }\n`;
  sandbox.write('gza.yaml', `${base}${own}${config}`);
  sandbox.write('seed.txt', 'seed\n');
  const files = ['gza.yaml', 'seed.txt'];
  if (tasks !== undefined) {
    sandbox.write('tasks/all.yml', tasks);
    files.push('tasks/all.yml');
  }
  sandbox.commit('Tasks', ...files);
  const ended = (args: readonly string[]) => startCli(sandbox, args);
  return Object.assign(sandbox, {
    agent,
    runs: () => readLines(join(dir, 'runs')),
    prompts: (task: string, step: string) =>
      readdirSync(dir)
        .filter((name) => name.startsWith(`prompt.${task}.${step}.`))
        .map((name) => readFileSync(join(dir, name), 'utf8')),
    work: (...args: string[]) => sandbox.gza(['work', ...args]),
    start: (...args: string[]) => ended(args),
    strays: () => strays(dir),
    record: (id: string) => recordIn(sandbox, id),
  });
}

function readLines(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean) : [];
}

/** In a session of its own, so that a signal can be sent to all of it, as a terminal does. */
function startCli({ repo, env }: Sandbox, args: readonly string[]) {
  const child = spawn(process.execPath, [cliFile, ...args], {
    cwd: repo,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const ended = new Promise<Ran>((resolve) => {
    child.on('close', (code) =>
      resolve({
        code: code ?? -1,
        stdout: Buffer.concat(out).toString('utf8'),
        stderr: Buffer.concat(err).toString('utf8'),
      }),
    );
  });
  return { pid: child.pid ?? 0, ended };
}

/** A task's line in the ledger, wherever it lives; of two the one that knows of more steps. */
function recordIn(sandbox: Sandbox, id: string): ReturnType<Workshop['record']> {
  const refs = sandbox.git('for-each-ref', '--format=%(refname)', 'refs/tasks').split('\n').filter(Boolean);
  const lines = linesWith(sandbox, `"id":"${id}"`, refs);
  const found = lines
    .map((line) => JSON.parse(line) as ReturnType<Workshop['record']>)
    .filter((value) => value['id'] === id);
  return found.toSorted((a, b) => (b.steps ?? []).length - (a.steps ?? []).length)[0] ?? {};
}

function linesWith(sandbox: Sandbox, words: string, refs: readonly string[]): string[] {
  if (refs.length === 0) return [];
  try {
    return sandbox.git('grep', '-h', '-F', '-e', words, ...refs, '--', '*.jsonl').split('\n');
  } catch (error) {
    // So says git where there is none.
    if ((error as { status?: number }).status === 1) return [];
    throw error;
  }
}

function strays(dir: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        const state = readFileSync(`/proc/${pid}/stat`, 'latin1');
        if (/\) [ZX] /.test(state)) return false;
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(dir);
      } catch {
        return false;
      }
    })
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter(Boolean);
}
