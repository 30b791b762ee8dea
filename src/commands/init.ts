import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GzaError } from '../core/errors.ts';
import { starterFiles, type StarterFile } from '../core/text/starter.ts';
import { openRepository } from '../ledger/repository.ts';
import type { Command } from './command.ts';

export const command: Command = {
  spec: {
    name: 'init',
    summary: 'make a repository ready: gza.yaml, tasks/, schemas for editors, a section in AGENTS.md',
    forPeople: true,
    arguments: [],
    details: 'What exists is left as it is.',
    options: [],
    examples: [{ command: 'gza init', shows: 'created gza.yaml, tasks/example.yml, …' }],
  },
  run: async (_invocation, ports) => {
    const { workTree, bare } = await openRepository(ports.cwd);
    if (workTree === null || bare) {
      throw new GzaError('input', 'a bare repository has no files; run gza init in a clone');
    }
    const results = starterFiles().map((file) => ({ path: file.path, did: writeStarter(workTree, file) }));
    const lines = results.map(({ path, did }) => `${did.padEnd(9)} ${path}`);
    return {
      json: results,
      text: [...lines, '', 'Next: edit tasks/example.yml, then gza check, then gza ready.'].join('\n'),
    };
  },
};

function writeStarter(root: string, file: StarterFile): 'created' | 'kept' | 'extended' {
  const path = join(root, file.path);
  const before = existsSync(path) ? readFileSync(path, 'utf8') : null;
  if (before === null) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.text);
    return 'created';
  }
  if (file.marker === undefined || before.includes(file.marker)) return 'kept';
  writeFileSync(path, `${before.trimEnd()}\n\n${file.text}`);
  return 'extended';
}
