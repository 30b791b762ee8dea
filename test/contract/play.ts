/** Types what a specification shows in a terminal, in a repository of its own, and says where it prints something else. */

import { Printed } from '../docs/printed.ts';
import { typedIn } from '../docs/session.ts';
import { cliFile, executable, type Ran, start } from '../e2e/cli.ts';
import { type Given, openWorkshop, type Workshop } from '../e2e/workshop.ts';

/** One fenced block of a specification. */
export interface Block extends Given {
  /** Unique in its document. */
  readonly name: string;
  /**
   * What is typed after `$ `, and what is printed: exactly that, where anything is shown. `[exit 3]` is how it ends, if
   * not well. Where the product differs, `< ` is a line of the specification and `> ` what stands for it now.
   */
  readonly typed?: string;
  /** The decisions that explain these differences. */
  readonly changedBy?: readonly string[];
  /** For a block that nobody types: what holds it. */
  readonly heldBy?: string;
  /** What stands before; it gives the ids that those of the block stand for. */
  readonly before?: (shop: Workshop) => Promise<Readonly<Record<string, string>> | void>;
  /** What is typed where the specification opens an editor. */
  readonly editor?: string;
  /** Programs on PATH: name → lines of a shell script. */
  readonly programs?: Readonly<Record<string, string>>;
}

export interface Document {
  readonly document: string;
  readonly blocks: readonly Block[];
}

/** What differs from the block, or an empty text. */
export async function play(block: Block): Promise<string> {
  await using shop = openWorkshop(block);
  for (const name of ['gza', 'git-tasks']) {
    const script = `process.argv[1] = __filename;\nrequire(${JSON.stringify(cliFile)});\n`;
    executable(shop.dir, name, `#!${process.execPath}\n${script}`);
  }
  for (const [name, script] of Object.entries(block.programs ?? {}))
    executable(shop.dir, name, `#!/bin/sh\nD='${shop.dir}'\n${script}\n`);
  const printed = new Printed((await block.before?.(shop)) ?? undefined);
  const wrong: string[] = [];
  for (const one of typedIn(printedNow(block))) {
    const command = printed.typed(one.command);
    const exit = Number(/^\[exit (\d+)\]$/.exec(one.printed.at(-1) ?? '')?.[1] ?? 0);
    const expected = exit === 0 ? one.printed : one.printed.slice(0, -1);
    const ran = await type(shop, command, block.editor);
    const lines = `${ran.stdout}${ran.stderr}`.trimEnd().split('\n');
    const fits = expected.length === 0 || printed.matches(expected.map(evenly), lines.map(evenly));
    if (fits && ran.code === exit) continue;
    wrong.push(`$ ${command} (exit ${ran.code})`, ...lines, '--- the specification says', ...one.printed);
  }
  return wrong.join('\n');
}

/** The block as the decisions changed it. */
function printedNow({ typed = '' }: Block): string {
  return typed
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('< '))
    .map((line) => line.replace(/^> /, ''))
    .join('\n');
}

/** Columns are as wide as the ids in them. */
function evenly(line: string): string {
  return line.trimEnd().replaceAll(/(?<=\S) {2,}/g, '  ');
}

function type(shop: Workshop, command: string, stdin = ''): Promise<Ran> {
  const words = /^(?:gza|git tasks) ([^|<>&;$`]*)$/.exec(command.replace(/\s+# .*$/, ''))?.[1];
  if (words === undefined) return start(['bash', '-c', command], { cwd: shop.repo, env: shop.env, stdin });
  return shop.gza(
    [...words.matchAll(/"([^"]*)"|\S+/g)].map((match) => match[1] ?? match[0]),
    { stdin },
  );
}
