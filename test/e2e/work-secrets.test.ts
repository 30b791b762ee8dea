import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const value = 'dep-Q7x2?Lp0v/K9w';

test('a secret of this machine reaches no commit, note, task, answer or subject, however it is written', async () => {
  const tasks = ['file', 'honest'].map(
    (id) => `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it., max_attempts: 1 }\n`,
  );
  await using shop = openWorkshop({
    tasks: `tasks:\n${tasks.join('')}`,
    config: 'env: [DEPLOY_TOKEN]\n',
    agents: {
      a: `echo $GZA_TASK > $GZA_TASK.txt
git tasks note "it is $DEPLOY_TOKEN"
git tasks add "use $(printf %s "$DEPLOY_TOKEN" | od -An -tx1 | tr -d ' \\n') now"
[ $GZA_TASK = file ] && printf 'x=%s;' "$DEPLOY_TOKEN" | base64 > leaked.txt
git add -A; git commit -qm "with $DEPLOY_TOKEN"
echo "done with $DEPLOY_TOKEN"`,
    },
  });
  const env = shop.env as Record<string, string>;
  env['DEPLOY_TOKEN'] = value;
  await shop.work('--all');
  const waiting = await shop.json<{ id: string; reason: string; detail: string }[]>('escalations');
  expect(waiting.find(({ id }) => id === 'file')).toMatchObject({
    reason: 'refused-changes',
    detail: expect.stringContaining('leaked.txt: line 1 holds the value of a secret that this machine has'),
  });
  expect(shop.git('show', 'gza/honest:honest.txt')).toBe('honest');
  const history = shop.git('log', '--all', '-p', '--format=%B');
  expect(history).toContain('[redacted]');
  const forms = [
    value,
    Buffer.from(value).toString('hex'),
    Buffer.from(`x=${value};`).toString('base64').slice(4, 20),
  ];
  for (const form of forms) expect([form, history.includes(form)]).toEqual([form, false]);
});
