/** Texts that are as long as an agent or a task file can make them: each step and each command still ends. */
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { openSandbox } from './cli.ts';
import { openWorkshop } from './workshop.ts';

const key = 'ghp_0123456789abcdefghij0123456789abcdef';

test('a line without end, empty lines without end and a commit message without end are a step like any other', async () => {
  await using shop = openWorkshop({
    tasks: 'tasks:\n  - { id: long, type: implement, title: Long, prompt: Do it. }\n',
    agents: {
      a: `long() { node -e "process.stdout.write('eyJ'.repeat(100000))"; }
empty() { node -e "process.stdout.write('\\\\n'.repeat($1))"; }
long; long >&2; empty 60000
echo a > a.txt
git add a.txt
{ printf 'Use ${key} for it\\n\\nSigned-off-by: '; node -e "process.stdout.write('a'.repeat(200000))"; } | git commit -q -F -
git tasks note long 'The key is ${key}.'
git tasks note long "$(printf a; empty 2000; echo b)"
git tasks note long "$(printf a; empty 60000; echo b)" > "$D/noted" 2>&1
echo 'All is done.'; empty 60000; long; echo; echo done`,
    },
  });
  const { stdout, code } = await shop.work('long');
  expect(stdout).toContain('✓ Task #long completed');
  expect(code).toBe(0);
  const message = shop.git('log', '-1', '--format=%B', 'gza/long');
  expect(message).toContain('- Use [redacted] for it');
  expect(message.length).toBeLessThan(10_000);
  const { notes } = shop.record('long');
  expect(notes).toEqual(['The key is [redacted].', `a${'\n'.repeat(2_000)}b`]);
  expect(readFileSync(`${shop.dir}/noted`, 'utf8')).toContain('it is longer than 65536 characters');
  const everything = shop.git('log', '--all', '-p', '--format=%B');
  expect(everything).not.toContain(key);
});

test('a prompt of one endless line, of empty lines, and a file of faults are read and told', async () => {
  await using sandbox = openSandbox();
  const line = 'eyJ'.repeat(100_000);
  sandbox.write('tasks/line.yml', `title: A line\nprompt: ${line}\n`);
  sandbox.write('tasks/empty.yml', `title: Empty lines\nprompt: |\n  a\n${'\n'.repeat(60_000)}  b\n`);
  sandbox.write('tasks/faults.yml', '{}'.repeat(150_000));
  sandbox.commit('Tasks', 'tasks/line.yml', 'tasks/empty.yml', 'tasks/faults.yml');
  const says = async (...words: string[]) => {
    const { stdout, stderr } = await sandbox.gza(words);
    return stdout + stderr;
  };
  expect(await says('check')).toContain('tasks/faults.yml');
  expect(await says('ready')).toContain('empty: Empty lines');
  expect(await says('show', 'line')).toContain('tasks/line.yml:2: prompt has a wrong value');
  expect(await says('show', 'empty')).toContain('status: pending');
});
