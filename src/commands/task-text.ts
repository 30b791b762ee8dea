/** The text of a task or note: words of the command line, standard input, or the editor. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GzaError } from '../core/errors.ts';
import type { Ports } from './command.ts';

const charactersMax = 100_000;

export async function taskText(words: string, ports: Ports, before = ''): Promise<string> {
  const text = (words || (await ports.stdin()) || (words === '' ? fromEditor(ports, before) : '')).trim();
  if (text === '') {
    throw new GzaError('usage', 'the text is empty, so nothing was filed', {
      hint: 'gza add "What should be done"',
    });
  }
  if (text.length > charactersMax) {
    throw new GzaError('input', `the text has ${text.length} characters; ${charactersMax} is the limit`, {
      hint: 'Put long material into a file of the repository and name it.',
    });
  }
  return text.replaceAll('\r\n', '\n');
}

const explanation =
  '\n# What should be done? The first line is the title. Lines that begin with # are left out.\n';

function fromEditor(ports: Ports, before: string): string {
  const editor = ports.env['GIT_EDITOR'] || ports.env['VISUAL'] || ports.env['EDITOR'];
  if (!editor) {
    throw new GzaError('usage', 'there is no text, and no editor is set', {
      hint: 'gza add "What should be done", or set EDITOR.',
    });
  }
  const dir = mkdtempSync(join(tmpdir(), 'gza-'));
  try {
    const path = join(dir, 'TASK.md');
    writeFileSync(path, before + explanation);
    const [program = '', ...args] = editor.split(/\s+/).filter(Boolean);
    const { status, error } = spawnSync(program, [...args, path], { stdio: 'inherit' });
    if (error || status !== 0)
      throw new GzaError('world', `the editor "${editor}" failed; nothing was filed`);
    return readFileSync(path, 'utf8').replaceAll(/^#(?!#| \S.*:$).*$\n?/gm, '');
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
