/** A plan is seen before it is approved, and what was said is found again. */
import { expect, test } from '@jest/globals';
import { executable } from './cli.ts';
import { openWorkshop } from './workshop.ts';

test('a plan says where it is, show prints it, approve shows it first, and --edit changes what is approved', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:
  - { id: p, type: plan, title: Plan it, prompt: Design, approval: required }
  - { id: i, type: implement, title: Build it, prompt: Build, depends_on: p }
`,
    agents: { x: 'printf "# The plan\\n\\n1. Keep the session cookie.\\n"' },
  });
  const { stdout } = await shop.work('p');
  expect(stdout).toContain('Plan written: .gza/plans/p.md (gza show p prints it)');
  expect(await shop.says('show p')).toContain('# The plan\n\n1. Keep the session cookie.');
  executable(shop.dir, 'appends', '#!/bin/sh\necho "2. Rotate it." >> "$1"\n');
  const env = { GIT_EDITOR: 'appends' };
  const approved = await shop.says('approve p --edit', { env });
  expect(approved).toMatch(
    /^p: approved:\n\n# The plan\n\n1\. Keep the session cookie\.\n\n2\. Rotate it\.\n/,
  );
  expect(await shop.says('show p')).toContain('2. Rotate it.');
  expect(await shop.says('prompt i')).toContain('2. Rotate it.');
  expect(await shop.says('approve p')).toContain('1. Keep the session cookie.');
  expect(await shop.says('search SESSION cookie')).toMatch(
    /^✓ p: Plan it\n {4}1\. Keep the session cookie\.\n$/,
  );
  const task = await shop.add('Other work');
  await shop.says(['note', task, 'the cookie expires too early']);
  expect(await shop.json('search expires')).toMatchObject([
    { id: task, found: ['the cookie expires too early'] },
  ]);
  expect(await shop.says('search nowhere')).toBe('Nothing has these words.\n');
  expect((await shop.gza(['approve', task, '--edit'])).stderr).toContain('has no plan that could be edited');
});

test('a second try gets the failing output once, and advice for what failed', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:
  - { id: c, type: implement, title: Checked, prompt: Do it, max_attempts: 2 }
  - { id: n, type: implement, title: Nothing, prompt: Do it, max_attempts: 2 }
`,
    config: 'verify: echo the-very-output; test ! -e c.txt\n',
    agents: { x: '[ $GZA_TASK = c ] && echo wrong > c.txt; echo finished' },
  });
  await shop.work('--all');
  const second = (id: string) =>
    shop.prompts(id, 'implement').find((text) => text.includes('This is attempt 2'));
  expect(second('c')?.match(/^the-very-output$/gm)).toHaveLength(1);
  expect(second('c')).toContain('Read the failing test');
  expect(second('n')).not.toContain('Read the failing test');
  expect(second('n')).toContain('What counts is what is in files at the end');
  expect(second('n')?.length).toBeLessThan(6_000);
});
