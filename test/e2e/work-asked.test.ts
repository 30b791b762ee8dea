import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { executable } from './cli.ts';
import { openWorkshop } from './workshop.ts';

const task = (id: string, type: string, more = '') =>
  `  - { id: ${id}, type: ${type}, title: Task ${id}, prompt: Do it.${more} }\n`;

test('what was explored reaches who depends on it, in the words of the repository’s own prompt', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('look', 'explore')}${task('make', 'implement', ', depends_on: look, allow: [src/**]')}`,
    agents: {
      x: `case $GZA_STEP in
  explore) echo junk > junk.txt; printf 'There are three callers.\\n' ;;
  *) mkdir -p src; echo x > src/a.txt; echo y > outside.txt; echo done ;;
esac`,
    },
  });
  shop.write('.gza/prompts/implement.md', 'In this house: {{title}}\n\n{{plan}}\n\n{{dependencies}}\n');
  shop.git('add', '-f', '.gza/prompts/implement.md');
  shop.commit('A prompt of our own');
  const { stdout, code } = await shop.work('--all');
  const [prompt = ''] = shop.prompts('make', 'implement');
  expect({ prompt, code, stdout }).toEqual({
    prompt: expect.stringMatching(/^In this house: Task make\n/),
    code: expect.any(Number),
    stdout: expect.stringContaining('explore may not change files; thrown away: junk.txt'),
  });
  expect(prompt).toContain('There are three callers.');
  expect(readFileSync(join(shop.repo, '.gza/explorations/look.md'), 'utf8')).toBe('There are three callers.');
  // Outside of what the task may touch.
  expect(stdout).toMatch(/outside\.txt: /);
  expect(shop.git('log', '--all', '--format=%H', '--', 'outside.txt', 'junk.txt')).toBe('');
});

test('changes are requested also where the findings cannot be read: the improve gets the whole review; what it does not answer is named', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', 'implement', ', auto_review: true')}`,
    agents: {
      x: `block() { printf '\`\`\`json\\n%s\\n\`\`\`\\n\\n**Verdict: %s**\\n' "$1" "$2"; }
finding='{"severity":"blocker","file":"a.txt","line":1,"claim":"%s","evidence":"seen","fix":"do it"}'
n=$(grep -c ' review ' "$D/runs")
case $GZA_STEP.$n in
  implement.*) echo a > a.txt; echo done ;;
  improve.*) echo b >> a.txt; echo improved ;;
  review.1) block '{"findings":[{"severity":"very bad","claim":"first"}]}' CHANGES_REQUESTED ;;
  review.2) block "{\\"findings\\":[$(printf "$finding" first),$(printf "$finding" second)]}" CHANGES_REQUESTED ;;
  review.*) verdict APPROVED ;;
esac`,
    },
  });
  const { stdout } = await shop.work('a');
  expect(stdout).toContain('✓ Task #a completed (APPROVED after 3 cycles)');
  expect(shop.runs().map((run) => run.split(' ').slice(2).join(' '))).toEqual([
    'implement 0',
    'review 1',
    'improve 1',
    'review 2',
    'improve 2',
    'review 3',
  ]);
  const [improve = ''] = shop.prompts('a', 'improve');
  expect(improve).toContain('"severity":"very bad"');
  expect(shop.record('a')['notes']).toContain('improve (cycle 2): 2 of 2 findings were not answered');
});

test('a failed phase is done again by itself; --from-start does the work anew on the same branch', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', 'implement', ', auto_review: true, max_attempts: 1')}`,
    agents: {
      x: `case $GZA_STEP in
  review) [ -e "$D/go" ] && verdict APPROVED || exit 1 ;;
  *) echo x >> a.txt; echo done ;;
esac`,
    },
  });
  expect((await shop.work('a')).code).toBe(1);
  shop.write('../go', '');
  await shop.says('retry a');
  expect(await shop.says('list')).toContain('a');
  expect((await shop.work('a')).stdout).toContain('✓ Task #a completed (APPROVED after 1 cycle)');
  const steps = () => shop.runs().map((run) => run.split(' ')[2]);
  expect(steps()).toEqual(['implement', 'review', 'review']);
  shop.write(
    'tasks/b.yml',
    'id: b\ntype: implement\ntitle: B\nprompt: Do it.\nauto_review: true\nmax_attempts: 1\n',
  );
  rmSync(join(shop.dir, 'go'));
  expect((await shop.work('b')).code).toBe(1);
  shop.write('../go', '');
  await shop.says('retry b --from-start');
  expect((await shop.work('b')).stdout).toContain('✓ Task #b completed');
  expect(steps().slice(3)).toEqual(['implement', 'review', 'implement', 'review']);
  expect(shop.git('show', 'gza/b:a.txt')).toBe('x\nx');
});

test('flags choose agent and model over what the task says, and each step has a time of its own', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', 'implement')}${task('b', 'implement', ', auto_review: true, timeout_minutes: 5, review_timeout_minutes: 0.02, max_attempts: 1')}`,
    agents: { x: `case $GZA_STEP in review) sleep 30 ;; *) echo x > $GZA_TASK.txt; echo done ;; esac` },
  });
  for (const name of ['claude', 'codex', 'gemini', 'opencode', 'copilot']) {
    executable(
      shop.dir,
      name,
      `#!/bin/sh\n[ "$1" = --version ] && { echo 1.0.0; exit; }\necho "${name} $*" >> '${shop.dir}/flags'\nexit 1\n`,
    );
  }
  const env = {
    ANTHROPIC_API_KEY: 'k',
    OPENAI_API_KEY: 'k',
    GEMINI_API_KEY: 'k',
    CODEX_API_KEY: 'k',
    COPILOT_GITHUB_TOKEN: 'k',
  };
  for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
    await shop.gza(['reset', 'a']);
    await shop.gza(['retry', 'a']);
    await shop.gza(['work', 'a', `--${name}`, '--model', 'openai/some-model'], { env });
  }
  const flags = readFileSync(join(shop.dir, 'flags'), 'utf8').split('\n');
  for (const name of ['claude', 'codex', 'gemini', 'opencode']) {
    expect(flags.find((line) => line.startsWith(`${name} `))).toContain('openai/some-model');
  }
  expect(shop.runs()).toEqual([]);
  const both = await shop.work('b', '--runner', 'true', '--claude');
  expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('name two agents')]);

  const { stdout } = await shop.work('b');
  expect(stdout).toMatch(/review (failed|was cut short): it took longer than it may/);
  expect(shop.record('b').steps?.map(({ step, outcome }) => `${step} ${outcome}`)).toEqual([
    'implement ok',
    'review failed',
  ]);
});
