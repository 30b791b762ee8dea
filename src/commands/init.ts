import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GzaError } from '../core/errors.ts';
import { agentSetup, callerPath, callerWorkflow, githubNext } from '../core/text/caller-workflow.ts';
import { agentsSection, starterFiles, starterSchemas } from '../core/text/starter.ts';
import { openRepository } from '../ledger/repository.ts';
import type { Command } from './command.ts';

type Did = 'created' | 'kept' | 'updated' | 'extended';

export const command: Command = {
  spec: {
    name: 'init',
    summary: 'make a repository ready: gza.yaml, tasks/, schemas for editors, a section in AGENTS.md',
    forPeople: true,
    arguments: [],
    details:
      'What exists is left as it is, but for the schemas and the marked section, which are brought up to date.',
    options: [
      { name: 'github', type: 'flag', help: 'also the workflow that works on the tasks in GitHub Actions' },
    ],
    examples: [
      { command: 'gza init', shows: 'created gza.yaml, tasks/example.yml, …' },
      { command: 'gza init --github', shows: 'created .github/workflows/gza.yml, and what to switch on' },
    ],
  },
  run: async ({ options }, ports) => {
    const { workTree, head } = await openRepository(ports.cwd);
    if (workTree === null) {
      throw new GzaError('input', 'a bare repository has no files; run gza init in a clone');
    }
    const generated = starterSchemas();
    const hasTasks = existsSync(join(workTree, 'tasks'));
    const results = [...starterFiles(testCommand(workTree))]
      .filter(([path]) => !(hasTasks && path.startsWith('tasks/')))
      .map(([path, text]) => ({ path, did: writeStarter(workTree, path, text, generated.has(path)) }));
    results.push({ path: 'AGENTS.md', did: writeSection(join(workTree, 'AGENTS.md')) });
    const onGithub = options['github'] === true;
    if (onGithub) {
      const text = callerWorkflow({
        minute: minuteOf(workTree),
        branch: head.branch ?? 'main',
        setup: agentSetup,
      });
      results.push({ path: callerPath, did: writeStarter(workTree, callerPath, text, false) });
    }
    const lines = results.map(({ path, did }) => `${did.padEnd(9)} ${path}`);
    const next = 'Next: look at gza.yaml and tasks/, commit them, then: gza ready, gza work.';
    const more = onGithub ? ['', githubNext] : [];
    return { json: results, text: [...lines, '', next, ...more].join('\n') };
  },
};

/** The same for a repository each time, and not for all repositories the same: they would all wake at once. */
function minuteOf(workTree: string): number {
  let sum = 0;
  for (const character of basename(workTree)) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 53;
  return 3 + sum;
}

/** The command that most projects of this kind test with, when it is plain to see. */
function testCommand(root: string): { verify?: string } {
  const has = (name: string) => existsSync(join(root, name));
  if (has('package.json') && /"test"\s*:/.test(readFileSync(join(root, 'package.json'), 'utf8'))) {
    return { verify: 'npm test' };
  }
  if (has('go.mod')) return { verify: 'go test ./...' };
  if (has('Cargo.toml')) return { verify: 'cargo test' };
  return has('pytest.ini') || has('pyproject.toml') ? { verify: 'pytest' } : {};
}

function writeStarter(root: string, path: string, text: string, isGenerated: boolean): Did {
  const file = join(root, path);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
  if (before !== null && (!isGenerated || before === text)) return 'kept';
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return before === null ? 'created' : 'updated';
}

const section = /<!-- gza -->[\s\S]*?<!-- \/gza -->\n?/;

function writeSection(file: string): Did {
  const before = existsSync(file) ? readFileSync(file, 'utf8') : null;
  if (before === null) {
    writeFileSync(file, agentsSection);
    return 'created';
  }
  const text = section.test(before)
    ? before.replace(section, () => agentsSection)
    : `${before.trimEnd()}\n\n${agentsSection}`;
  if (text === before) return 'kept';
  writeFileSync(file, text);
  return section.test(before) ? 'updated' : 'extended';
}
