/** A shell session as a page shows it: `$ command`, then what it prints. Ids, hashes and times may differ. */
import { join, resolve } from 'node:path';
import { type Ran, type Sandbox, start } from '../e2e/cli.ts';
import { Printed } from './printed.ts';

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
  readonly #printed = new Printed();
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
    const ran = await this.#run(this.#printed.typed(command));
    this.#status = ran.code;
    const isExpected = ran.code === 0 || next?.command === 'echo $?';
    const said = `${ran.stdout}${ran.stderr}`.trimEnd().split('\n');
    const shown = said.length === 1 && said[0] === '' ? [] : said;
    const fits = anyOrder ? this.#hasAll(printed, shown) : this.#printed.matches(printed, shown);
    if (isExpected && fits) return null;
    return [`$ ${command} (exit ${ran.code})`, ...said, '--- the page says', ...printed].join('\n');
  }

  #run(command: string): Promise<Ran> {
    const { env, dir } = this.#sandbox;
    const options = { cwd: this.#cwd, env: { ...env, EDITOR: join(dir, 'none') } };
    const words = plainWords(command);
    if (words !== undefined) return this.#sandbox.gza(words, options);
    return start(['bash', '-c', `(exit ${this.#status})\n${command}`], options);
  }

  #hasAll(expected: readonly string[], lines: readonly string[]): boolean {
    const bare = lines.map(withoutTask);
    return expected.every(
      (one) => one === '…' || bare.some((line) => this.#printed.fits(withoutTask(one), line)),
    );
  }
}

/** Of a call of gza in which a shell would find nothing to do but to take quotes away; else undefined. */
function plainWords(command: string): string[] | undefined {
  if (!/^gza( ("[^"$`\\]*"|[\w./:,=@%+-]+))*$/.test(command)) return undefined;
  return [...command.slice('gza '.length).matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

/** Work side by side names the task before each line; whether it was side by side is a matter of luck. */
function withoutTask(line: string): string {
  return line.replace(/^ {2}[\w-]+: (?=\[\d)/, '  ');
}
