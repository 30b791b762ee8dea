/** The text of a task or note: from the command line, standard input, or the editor. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ports } from '../app/command.ts';
import { GzaError } from '../core/errors.ts';
import { openGit } from '../git/git.ts';

const charactersMax = 250_000;

export interface TextOptions {
  readonly ports: Ports;
  /** The initial text in the editor. */
  readonly before?: string;
  readonly hint?: string;
}

/** `-` means standard input, which is also read when there are no words. */
export async function taskText(words: string, options: TextOptions): Promise<string> {
  const { ports, hint = `${ports.program} add "What should be done"` } = options;
  const given = words === '-' ? '' : words.trim();
  const piped = given === '' ? ((await ports.stdin()) ?? '').trim() : '';
  const edited = given === '' && piped === '' && words !== '-' ? await fromEditor(options, hint) : '';
  const text = (given || piped || edited).replaceAll(/\r\n?/g, '\n').replaceAll('\0', '');
  if (text === '') throw new GzaError('usage', 'the text is empty, so nothing was written', { hint });
  if (text.length > charactersMax) {
    throw new GzaError('input', `the text has ${text.length} characters; ${charactersMax} is the limit`, {
      hint: 'Put long material into a file of the repository and name it.',
    });
  }
  return text;
}

const explanation =
  '<!-- The first line is the title. This line is left out. An empty text changes nothing. -->';

export async function fromEditor({ ports, before = '' }: TextOptions, hint: string): Promise<string> {
  const editor = await editorName(ports);
  if (!editor) {
    throw new GzaError('usage', 'there is no text, and no editor is set', {
      hint: `${hint}\nor set EDITOR.`,
    });
  }
  const dir = mkdtempSync(join(tmpdir(), 'gza-'));
  try {
    const path = join(dir, 'TASK.md');
    writeFileSync(path, `${before}\n${explanation}\n`);
    // Through the shell, as git does it: quotes, arguments and variables in it are the person's own.
    const { status, error } = spawnSync('sh', ['-c', `${editor} "$@"`, editor, path], { stdio: 'inherit' });
    if (error || status !== 0) {
      const why = error ? error.message : `exit ${status}`;
      throw new GzaError('world', `the editor "${editor}" failed (${why}); nothing was written`);
    }
    return readFileSync(path, 'utf8').replace(explanation, '').trim();
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Finds the editor as git does, but ignores the repository's configuration, which others may write. */
async function editorName({ env, cwd }: Ports): Promise<string | undefined> {
  if (env['GIT_EDITOR']) return env['GIT_EDITOR'];
  const configured = await openGit(cwd).run(['config', '--global', '--get', 'core.editor']);
  return configured.stdout.toString('utf8').trim() || env['VISUAL'] || env['EDITOR'] || undefined;
}
