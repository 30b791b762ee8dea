/** A shell session as a page shows it: `$ command`, then what it prints. Ids, hashes and times may differ. */
import { join, resolve } from 'node:path';
import { type Ran, type Sandbox, start } from '../e2e/cli.ts';

export interface Typed {
  readonly command: string;
  readonly printed: readonly string[];
}

export function typedIn(text: string): Typed[] {
  const typed: { command: string; printed: string[] }[] = [];
  for (const line of text.trimEnd().split('\n')) {
    if (line.startsWith('$ ')) typed.push({ command: line.slice(2), printed: [] });
    else if (typed.at(-1)) typed.at(-1)?.printed.push(line);
    else throw new Error(`a session begins with a command, not with ${JSON.stringify(line)}`);
  }
  // An empty line before the next command is there for the eye.
  return typed.map(({ command, printed }) => ({ command, printed: trimEnd(printed) }));
}

function trimEnd(lines: string[]): string[] {
  const last = lines.findLastIndex((line) => line !== '');
  return lines.slice(0, last + 1);
}

/** One shell for a page: it remembers the folder, the last exit status, and which id stands for which. */
export class Session {
  readonly #sandbox: Sandbox;
  readonly #ids = new Map<string, string>();
  #cwd: string;
  #status = 0;

  constructor(sandbox: Sandbox) {
    this.#sandbox = sandbox;
    this.#cwd = sandbox.repo;
  }

  get folder(): string {
    return this.#cwd;
  }

  /** What is wrong, or null. */
  async check(
    { command, printed }: Typed,
    next: Typed | undefined,
    anyOrder: boolean,
  ): Promise<string | null> {
    const folder = /^cd (\S+)$/.exec(command)?.[1];
    if (folder !== undefined) {
      this.#cwd = resolve(this.#cwd, folder);
      return null;
    }
    const ran = await this.#run(this.#withIds(command));
    this.#status = ran.code;
    const isExpected = ran.code === 0 || next?.command === 'echo $?';
    const said = `${ran.stdout}${ran.stderr}`.trimEnd().split('\n');
    const shown = said.length === 1 && said[0] === '' ? [] : said;
    const fits = anyOrder ? this.#hasAll(printed, shown) : this.#matches(printed, shown);
    if (isExpected && fits) return null;
    return [`$ ${command} (exit ${ran.code})`, ...said, '--- the page says', ...printed].join('\n');
  }

  #run(command: string): Promise<Ran> {
    const { env, dir } = this.#sandbox;
    const script = `(exit ${this.#status})\n${command}`;
    return start(['bash', '-c', script], { cwd: this.#cwd, env: { ...env, EDITOR: join(dir, 'none') } });
  }

  #withIds(text: string): string {
    return text.replaceAll(/task-[0-9a-f]{4}\b/g, (id) => this.#ids.get(id) ?? id);
  }

  #matches(expected: readonly string[], lines: readonly string[]): boolean {
    if (expected.length === 0) return lines.length === 0;
    const [first = '', ...rest] = expected;
    if (first === '…') {
      return rest.length === 0 || lines.some((_, at) => this.#matches(rest, lines.slice(at)));
    }
    const [line, ...others] = lines;
    return line !== undefined && this.#fits(first, line) && this.#matches(rest, others);
  }

  #hasAll(expected: readonly string[], lines: readonly string[]): boolean {
    const bare = lines.map(withoutTask);
    return expected.every((one) => one === '…' || bare.some((line) => this.#fits(withoutTask(one), line)));
  }

  #fits(expected: string, line: string): boolean {
    const unknown: string[] = [];
    const parts = expected
      .split(/(task-[0-9a-f]{4}\b|…|\b[0-9a-f]{7,40}\b|\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d\d\/\d\d\b|\b\d+ s\b)/)
      .map((part, at) => (at % 2 === 0 ? literal(part) : this.#pattern(part, unknown)));
    const match = new RegExp(`^${parts.join('')}$`).exec(line);
    if (!match) return false;
    for (const [at, id] of unknown.entries()) this.#ids.set(id, match[at + 1] as string);
    return true;
  }

  #pattern(part: string, unknown: string[]): string {
    if (part === '…') return '.*';
    if (part.endsWith(' s')) return String.raw`\d+ s`;
    if (part.includes('/')) return String.raw`\d\d/\d\d`;
    if (part.includes(':')) return String.raw`\d{4}-\d\d-\d\dT[\d:.]+Z`;
    if (!part.startsWith('task-')) return '[0-9a-f]{7,40}';
    const known = this.#ids.get(part);
    if (known !== undefined) return literal(known);
    const at = unknown.indexOf(part);
    if (at >= 0) return `\\${at + 1}`;
    unknown.push(part);
    return '(task-[0-9a-f]{4,8})';
  }
}

/** Work side by side names the task before each line; whether it was side by side is a matter of luck. */
function withoutTask(line: string): string {
  return line.replace(/^ {2}[\w-]+: (?=\[\d)/, '  ');
}

function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
