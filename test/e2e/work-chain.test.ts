import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const agent = `case $GZA_STEP in
  plan) printf '# Plan\\n\\nUse ImageTransform v2.\\n' ;;
  explore) printf 'There are three callers.\\n' ;;
  review) verdict APPROVED ;;
  *) echo $GZA_TASK >> $GZA_TASK.txt; echo "did $GZA_TASK" ;;
esac`;

test('the example of task-chaining.md: plan, implement with its plan, and a review in the same run', async () => {
  await using shop = openWorkshop({ agents: { a: agent } });
  const plan = await shop.add('--type', 'plan', '--group', 'tarantino-v2', 'Plan ImageTransform system');
  expect((await shop.work()).stdout).toContain(`✓ Task #${plan} completed`);
  expect(readFileSync(join(shop.repo, `.gza/plans/${plan}.md`), 'utf8')).toContain('ImageTransform v2');
  expect(shop.git('branch', '--list')).toBe('* main');

  const implement = await shop.add(
    '--type',
    'implement',
    '--based-on',
    plan,
    '--review',
    '--group',
    'tarantino-v2',
    'Implement ImageTransform',
  );
  const { stdout } = await shop.work('--once');
  const review = /Running review task #(task-[0-9a-f]+)\.\.\./.exec(stdout)?.[1] ?? '';
  expect(stdout).toMatch(
    new RegExp(
      `✓ Task #${implement} completed\nRunning review task #${review}\\.\\.\\.\n.*Review: APPROVED\n✓ Review completed`,
    ),
  );
  expect(shop.prompts(implement, 'implement')[0]).toContain('Use ImageTransform v2.');
  const [asked = ''] = shop.prompts(review, 'review');
  expect(asked).toContain('Use ImageTransform v2.');
  expect(asked).toContain(`+${implement}`);
  const status = await shop.says('status tarantino-v2');
  expect(status).toMatch(
    new RegExp(
      `✓ ${plan}\\. .*completed[^]*✓ ${implement}\\. .*completed[^]*✓ ${review}\\. .*completed +APPROVED`,
    ),
  );
  expect(shop.git('log', '--format=%s', `main..gza/${implement}`)).toBe('Implement ImageTransform');

  // An explicit review of the same work, read by whoever comes later.
  const again = await shop.add('--type', 'review', '--based-on', implement, 'Look at it once more');
  expect((await shop.work(again)).stdout).toContain('✓ Review completed');
  expect(readFileSync(join(shop.repo, `.gza/reviews/${again}.md`), 'utf8')).toContain('Verdict: APPROVED');
});

const step = (id: string, more: string) =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;

test('where a task starts: on its dependency’s branch, stacked on it, on a branch that joins several, or on the base', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${step('one', '')}${step('same', ', depends_on: one, same_branch: true')}${step('stacked', ', depends_on: one')}${step('other', '')}${step('both', ', depends_on: [one, other]')}`,
    agents: { a: agent },
  });
  const blocked = await shop.work('stacked');
  expect([blocked.code, blocked.stderr]).toEqual([
    3,
    expect.stringMatching(/^Error: Task #stacked is blocked by task #one \(pending\)\n/),
  ]);
  const { stdout, code } = await shop.work('--all');
  expect(code).toBe(0);
  const log = (branch: string) => shop.git('log', '--format=%s', `main..${branch}`).split('\n');
  expect(log('gza/one')).toEqual(['Task same', 'Task one']);
  expect(log('gza/stacked').slice(0, 1)).toEqual(['Task stacked']);
  expect(log('gza/stacked')).toContain('Task one');
  expect(stdout).toContain('✓ Task #both completed');
  expect(log('gza/both').slice(0, 2)).toEqual(['Task both', 'Join gza/one, gza/other']);
  expect(shop.record('both')['lane']).toMatchObject({
    stacked_on: 'gza/on/both',
    joins: ['gza/one', 'gza/other'],
  });
  expect(shop.record('stacked')['lane']).toMatchObject({ stacked_on: 'gza/one' });
  await shop.add('--type', 'implement', '--after', 'other', 'Write the last part');

  // Merged by hand: the lane comes home, and who waited starts from the base.
  shop.git('merge', '-q', '--no-ff', '-m', 'Merge one', 'gza/one');
  shop.git('merge', '-q', '--no-ff', '-m', 'Merge other', 'gza/other');
  const later = await shop.work('--all');
  expect(later.stdout).toContain('completed');
  expect(shop.git('log', '--format=%s', 'main..gza/both')).toBe('Task both\nJoin gza/one, gza/other');
  expect(shop.git('for-each-ref', '--format=%(refname)', 'refs/tasks')).not.toContain('gza/one');
  expect(shop.record('one')['merged_at']).toBeDefined();
});

test('another agent looks at the work, unless a review_model is set', async () => {
  const two = (id: string, more: string) =>
    `  - { id: ${id}, type: implement, title: ${id}, prompt: Do it., agents: [a], auto_review: true${more} }\n`;
  await using shop = openWorkshop({
    tasks: `tasks:\n${two('fresh', '')}${two('cheap', ', model: opus, review_model: sonnet')}`,
    agents: { a: `echo "$GZA_MODEL" >> "$D/models.$GZA_TASK"\n${agent}`, b: agent },
  });
  expect((await shop.work('--all')).code).toBe(0);
  expect(shop.runs()).toEqual([
    'a fresh implement 0',
    'b fresh review 1',
    'a cheap implement 0',
    'a cheap review 1',
  ]);
  expect(readFileSync(join(shop.dir, 'models.cheap'), 'utf8')).toBe('opus\nsonnet\n');
});

test('a review of its own is told what the tasks asked whose work it judges, and which part is whose', async () => {
  const asked = (id: string, more: string): string =>
    `  - id: ${id}\n    type: implement\n    title: Task ${id}\n    prompt: Count the ${id} by hand.\n    acceptance_criteria: [There are ${id}.]\n${more}`;
  await using shop = openWorkshop({
    tasks: `tasks:\n${asked('apples', '')}${asked('pears', '    depends_on: apples\n    same_branch: true\n')}`,
    agents: { a: agent },
  });
  await shop.work('apples');
  const alone = await shop.add('--type', 'review', '--based-on', 'apples', 'Look at the peel');
  await shop.work(alone);
  const [one = ''] = shop.prompts(alone, 'review');
  expect(one).toMatch(
    /Look at the peel[^]*apples: Task apples[^]*Count the apples by hand\.[^]*There are apples\./,
  );
  expect(one).not.toContain('Its part of the diff');

  await shop.work('pears');
  const both = await shop.add('--type', 'review', '--based-on', 'pears', 'Look at both');
  await shop.work(both);
  const [two = ''] = shop.prompts(both, 'review');
  expect(two).toMatch(
    /Count the apples by hand\.[^]*Its part of the diff: git diff \w{12}\.\.\w{12}[^]*Count the pears by hand\.[^]*Its part of the diff: git diff \w{12}\.\.\w{12}/,
  );
  expect(two).toMatch(/1\. There are apples\.\s+2\. There are pears\./);
});

test.each(['create_review', 'add --type review', 'gza review', 'gza improve'])(
  '%s is told the text, the criteria and the plan of every task of the lane, each with its part of the diff',
  async (form) => {
    const asked = (id: string, more: string): string =>
      `  - id: ${id}\n    type: implement\n    title: Task ${id}\n    plan_file: docs/plan.md\n    prompt: Count the ${id} by hand.\n    acceptance_criteria: [There are ${id}.]\n${more}`;
    const second = `    depends_on: apples\n    same_branch: true\n${form === 'create_review' ? '    create_review: true\n' : ''}`;
    const other = '  - { id: other, title: Something else, priority: critical, depends_on: pears }\n';
    await using shop = openWorkshop({
      tasks: `tasks:\n${asked('apples', '')}${asked('pears', second)}${other}`,
      agents: { a: agent },
    });
    shop.write('docs/plan.md', 'First the apples, then the pears.\n');
    shop.git('add', '.');
    shop.git('commit', '-qm', 'Plan');
    await shop.work('apples');
    await shop.work(form === 'create_review' ? '--all' : 'pears');
    if (form === 'add --type review') {
      await shop.add('--type', 'review', '--based-on', 'pears', 'Look at both');
    }
    if (form === 'gza review') await shop.gza(['review', 'pears']);
    if (form === 'gza improve') await shop.gza(['improve', 'pears', 'add tests']);
    await shop.work('--all');
    const step = form === 'gza improve' ? 'improve' : 'review';
    const [lone = ''] = shop
      .runs()
      .flatMap((run) => (run.split(' ')[2] === step ? [run.split(' ')[1]!] : []));
    const [prompt = ''] = shop.prompts(lone, step);
    expect(prompt).toContain('First the apples, then the pears.');
    expect(prompt).toMatch(
      /Count the apples by hand\.[^]*Its part of the diff: git diff \w{12}\.\.\w{12}[^]*Count the pears by hand\.[^]*Its part of the diff: git diff \w{12}\.\.\w{12}/,
    );
    expect(prompt).toMatch(/1\. There are apples\.\s+2\. There are pears\./);
    if (form === 'create_review')
      expect(shop.runs().map((run) => run.split(' ')[1])).toEqual(['apples', 'pears', lone, 'other']);
  },
);
