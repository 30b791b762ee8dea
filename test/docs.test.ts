import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { agentNames } from '../src/agents/agent-named.ts';
import { verbs } from '../src/commands/commands.ts';
import type { CommandSpec } from '../src/core/arguments/command-spec.ts';
import { parseConfig } from '../src/core/config/parse-config.ts';
import { rules } from '../src/core/policy/decide.ts';
import { startRules } from '../src/core/policy/rules-step.ts';
import { parseTaskFile } from '../src/core/task/parse-task-file.ts';
import { manyTasksSchema, taskSchema } from '../src/core/task/task-schema.ts';
import { callerPath } from '../src/core/text/doctor/caller-workflow.ts';
import { configJsonSchema } from '../src/core/yaml/schema-problem.ts';
import { alternatives, type Shape } from '../src/core/yaml/yaml-value.ts';
import { type Block, blocksIn, fileOf, proseOf } from './docs/blocks.ts';
import { changedCaller } from './docs/changed-caller.ts';
import { Session, typedIn } from './docs/session.ts';
import { cliFile, executable, openSandbox, root, type Sandbox, start } from './e2e/cli.ts';
import { diagnose } from './github/official-parser.ts';

const pages = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
].filter((name) => name.endsWith('.md'));

const read = (page: string) => readFileSync(join(root, page), 'utf8');
const sandboxes: Sandbox[] = [];

afterAll(async () => {
  for (const sandbox of sandboxes) await sandbox[Symbol.asyncDispose]();
});

/** `gza` and `git tasks` on PATH, as after an installation. */
function openPage(): Sandbox {
  const sandbox = openSandbox();
  sandboxes.push(sandbox);
  for (const name of ['gza', 'git-tasks']) {
    const script = `process.argv[1] = __filename;\nrequire(${JSON.stringify(cliFile)});\n`;
    executable(sandbox.dir, name, `#!${process.execPath}\n${script}`);
  }
  return sandbox;
}

function writeBlock(folder: string, path: string, { text, words }: Block): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (words.includes('executable')) chmodSync(file, 0o755);
}

/** What is wrong with the blocks of a page that are meant to be run, from the top down. */
async function problemsOf(page: string): Promise<string[]> {
  const problems: string[] = [];
  let session: Session | null = null;
  for (const block of blocksIn(read(page))) {
    const file = fileOf(block);
    if (block.language === 'console' && block.words.includes('fresh')) session = null;
    if (file !== undefined || block.words.includes('test')) session ??= new Session(openPage());
    if (file !== undefined) writeBlock(session?.folder ?? '', file, block);
    if (block.language !== 'console' || !block.words.includes('test')) continue;
    const typed = typedIn(block.text);
    for (const [at, one] of typed.entries()) {
      const wrong = await session?.check(one, typed[at + 1], block.words.includes('any-order'));
      if (wrong) problems.push(`${page}:${block.line}: ${wrong}`);
    }
  }
  return problems;
}

describe.each(pages)('%s', (page) => {
  test('the sessions on it print what it says', async () => {
    expect((await problemsOf(page)).join('\n\n')).toBe('');
    // Dozens of processes, on a machine that may be busy.
  }, 180_000);

  test('the task files and configurations on it are valid', () => {
    const problems = blocksIn(read(page)).flatMap((block) => {
      const found = block.words.includes('task')
        ? parseTaskFile(fileOf(block) ?? 'tasks/example.yml', block.text).problems
        : block.words.includes('config')
          ? parseConfig({ gza: block.text }).problems
          : [];
      return found.map(({ line, message }) => `${page}:${block.line + line - 1}: ${message}`);
    });
    expect(problems).toEqual([]);
  });

  test('what it changes in the workflow is accepted by GitHub’s own parser', async () => {
    const changes = blocksIn(read(page)).filter(({ words }) => words.includes('caller'));
    for (const { text, line } of changes)
      expect([`${page}:${line}`, await diagnose(callerPath, changedCaller(text))]).toEqual([
        `${page}:${line}`,
        [],
      ]);
  });

  test('every YAML on it says what it is', () => {
    const unmarked = blocksIn(read(page)).filter(
      ({ language, words }) =>
        ['yaml', 'yml'].includes(language) &&
        !['task', 'config', 'caller', 'other'].some((one) => words.includes(one)),
    );
    expect(unmarked.map(({ line }) => `${page}:${line}`)).toEqual([]);
  });

  test('what it links to is there', () => {
    const links = [...proseOf(read(page)).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)];
    const missing = links.map(([, to = '']) => to).filter((to) => !existsSync(join(root, dirname(page), to)));
    expect(missing).toEqual([]);
  });

  test('the commands that it names exist', () => {
    const known = new Set([...verbs.flatMap(({ name, aliases = [] }) => [name, ...aliases]), 'help']);
    const named = [...read(page).matchAll(/(?:`|^\$ )(?:gza|git tasks) ([a-z][a-z-]*)/gm)];
    expect(named.map(([, verb = '']) => verb).filter((verb) => !known.has(verb))).toEqual([]);
  });
});

test('every field of a task file is described in docs/tasks.md', () => {
  const fields = [...Object.keys(taskSchema.shape), ...Object.keys(manyTasksSchema.shape)];
  expect(fields.filter((field) => !read('docs/tasks.md').includes(`\`${field}\``))).toEqual([]);
});

test('every key of gza.yaml is described in docs/configuration.md', () => {
  const { properties = {} } = configJsonSchema() as Shape;
  const inner = Object.entries(properties).flatMap(([key, shape]) => [
    key,
    ...keysIn(shape).map((it) => `${key}.${it}`),
  ]);
  const own = keysIn(properties['agents']?.additionalProperties as Shape).map(
    (key) => `agents.<name>.${key}`,
  );
  // Settings have a page of their own, and types of tasks are not keys to explain one by one.
  const keys = [...inner, ...own].filter((key) => !/^(defaults|task_types)\./.test(key));
  expect(keys.filter((key) => !read('docs/configuration.md').includes(`\`${key}\``))).toEqual([]);
});

function keysIn(shape: Shape): string[] {
  return alternatives(shape).flatMap(({ properties = {} }) => Object.keys(properties));
}

test.each(['docs/agents.md', 'docs/tasks.md'])('every agent that gza knows is named in %s', (page) => {
  expect(agentNames.filter((name) => !read(page).includes(`\`${name}\``))).toEqual([]);
});

test('every command is in the overview of the README', async () => {
  const specs: CommandSpec[] = [];
  for (const verb of verbs) specs.push((await verb.load()).spec);
  // A verb that does nothing yet is not promised.
  const ready = specs.filter(({ summary }) => summary !== 'not yet');
  expect(
    ready.filter(({ name }) => !read('README.md').includes(`\`${name}\``)).map(({ name }) => name),
  ).toEqual([]);
});

test('ARCHITECTURE.md names the rules in their order', () => {
  const names = [...rules, ...startRules].map(({ name }) => name);
  const listed = [...read('ARCHITECTURE.md').matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name);
  const section = listed.slice(listed.indexOf('dead-claim'));
  expect(section.filter((name, at) => names.includes(name) && section.indexOf(name) === at)).toEqual(names);
});

test('the files that ARCHITECTURE.md and CONTRIBUTING.md name exist', () => {
  const named = ['ARCHITECTURE.md', 'CONTRIBUTING.md'].flatMap((page) =>
    [...proseOf(read(page)).matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map(([, path = '']) => path),
  );
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('gza check passes in this repository', async () => {
  await using sandbox = openSandbox();
  const ran = await start([process.execPath, cliFile, 'check'], { cwd: root, env: sandbox.env });
  expect(ran).toEqual({ code: 0, stdout: expect.stringMatching(/: all good\n$/), stderr: '' });
});
