import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const tasks = `tasks:
  - { id: login, type: implement, title: Add a login, prompt: Add it., auto_review: true }
  - { id: after, type: implement, title: Use the login, prompt: Use it., depends_on: [login] }
`;

const agent = `case $GZA_TASK$GZA_STEP$GZA_CYCLE in
  loginimplement*) echo login > login.txt; echo 'registry=https://one.example' > .npmrc ;;
  loginreview1) verdict CHANGES_REQUESTED 'no tests' ;;
  loginreview*) verdict APPROVED ;;
  loginimprove*) echo test > login.test.js; echo 'registry=https://two.example' > .npmrc ;;
  *) echo use > use.txt ;;
esac
echo done`;

test('a file that waits keeps work and branch, holds the task, and passes as it is or not at all', async () => {
  await using shop = openWorkshop({ tasks, agents: { a: agent } });
  const first = await shop.work('--all');
  expect(first.code).toBe(3);
  expect(shop.git('show', 'gza/login:.npmrc')).toBe('registry=https://one.example');
  expect(shop.runs().map((run) => run.split(' ').slice(1, 3).join(' '))).toEqual(['login implement']);
  const [waiting] =
    await shop.json<{ id: string; reason: string; detail: string; commands: string[] }[]>('escalations');
  expect(waiting).toMatchObject({
    id: 'login',
    reason: 'changes-wait',
    detail: expect.stringContaining('.npmrc: it decides where packages come from'),
    commands: expect.arrayContaining(['gza approve login']),
  });
  expect(await shop.says('why login')).toContain('changes-wait');
  expect(await shop.says('status')).toContain('!');
  // What clears a stop does not let it pass.
  await shop.says('unblock login');
  await shop.work('--all');
  expect(shop.runs()).toHaveLength(1);
  expect(await shop.json('escalations')).toMatchObject([{ id: 'login', reason: 'changes-wait' }]);

  expect(await shop.says('approve login')).toContain('.npmrc may pass as they are now');
  // The review ran; the improve wrote another address, which nobody let pass.
  expect((await shop.work('--all')).code).toBe(3);
  expect(shop.runs().map((run) => run.split(' ').slice(1, 3).join(' '))).toEqual([
    'login implement',
    'login review',
    'login improve',
  ]);
  expect(await shop.says('why login')).toContain('.npmrc');
  await shop.says('approve login');
  expect((await shop.work('--all')).code).toBe(0);
  expect(await shop.says('status')).toMatch(/✓.*login/);
  expect(shop.git('show', 'gza/after:use.txt')).toBe('use');
  expect(await shop.says('fsck')).not.toMatch(/differ/);
});

test('checks that a step changed are named, and what gza.yaml says of files counts', async () => {
  await using shop = openWorkshop({
    tasks: 'tasks: [{ id: one, type: implement, title: One, prompt: Do it., baseline: skip }]\n',
    config:
      'verify: sh tools/check.sh\nprotected: { name: ["docs/**"], wait: ["db/**"], except: [".npmrc"] }\n',
    agents: {
      a: `mkdir -p tools docs; echo true > tools/check.sh; echo x > docs/a.md; echo y > .npmrc; echo '{}' > tsconfig.json; echo done`,
    },
  });
  expect((await shop.work('--all')).code).toBe(0);
  const shown = await shop.says('show one');
  expect(shown).toMatch(/checks changed: .*tools\/check\.sh.*tsconfig\.json/);
  expect(shown).toMatch(/to look at: docs\/a\.md: gza\.yaml names it/);
});
