/** `gza start`: one command from nothing to a reviewed branch, with an agent that speaks as Claude Code does. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { openSandbox } from './cli.ts';
import { fakeClaude, key } from './fake-claude.ts';

jest.setTimeout(120_000);

const answers = (text: string) =>
  `printf '{"type":"result","subtype":"success","is_error":false,"total_cost_usd":1,"result":"${text}"}\\n' "$nonce"`;

test('one command in a repository without gza.yaml: it finds agent and checks, works, reviews, and says how to go on', async () => {
  await using box = openSandbox();
  box.write('package.json', '{ "name": "x", "scripts": { "test": "node --test" } }\n');
  box.commit('Begin', 'package.json');
  fakeClaude(
    box,
    `case $GZA_STEP in
  implement) echo 1 > a.txt; ${answers('It counts.')} ;;
  review) ${answers('I ran it.\\\\n\\\\n**Verdict: APPROVED**\\\\n\\\\nNonce: %s')} ;;
esac`,
  );
  const { code, stdout, stderr } = await box.gza(['start', 'Count', 'things'], key);
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/✓ Task #(task-\w+) completed \(APPROVED after 1 cycle\)/),
    stderr: expect.anything(),
  });
  const id = /task-\w+/.exec(stdout)?.[0] ?? '';
  expect(stdout + stderr).toContain('created gza.yaml: claude, checked by `npm test`');
  expect(stdout).toMatch(
    new RegExp(
      `gza/${id}: 1 file changed, 1 insertion.*\\n +look at it +gza diff ${id}, gza show ${id}\\n[^]*git merge gza/${id}\\n +keep gza +git add gza.yaml`,
    ),
  );
  expect(box.git('status', '--porcelain').trim()).toBe('?? gza.yaml');
  expect(box.git('show', `gza/${id}:a.txt`).trim()).toBe('1');
});

test('all that is missing is said at once, with what mends it, and nothing is written', async () => {
  await using box = openSandbox({ empty: true });
  const bare = { env: { PATH: '/usr/bin:/bin' } };
  const none = await box.gza(['start', 'Count things'], bare);
  expect([none.code, none.stderr]).toEqual([1, '']);
  expect(none.stdout).toMatch(
    /✗ .*no commit[^]*git add -A && git commit[^]*✗ No agent is installed[^]*npm install --global @/,
  );
  fakeClaude(box, 'ok');
  const keyless = await box.gza(['start', 'Count things']);
  expect(keyless.stdout).toMatch(
    /no commit[^]*neither a key nor a login\.\n +Set ANTHROPIC_API_KEY, or log in with claude/,
  );
  expect(existsSync(join(box.repo, 'gza.yaml'))).toBe(false);
  expect((await box.gza(['start'])).stderr).toContain('gza start "Refuse empty names"');
});
