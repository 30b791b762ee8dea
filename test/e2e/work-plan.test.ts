import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const plan = `# Fruit

### Task 1: Count apples
Files: src/count-apples.js (new)
### Task 2: Count pears
Depends on: Task 1
`;
const agent = (text: string) => `case $GZA_STEP in
  plan) cat <<'END'
${text}
END
  ;;
  *) mkdir -p src; echo $GZA_TASK > src/$GZA_TASK.js; echo "did $GZA_TASK" ;;
esac`;
const tasks = `tasks:
  - { id: plan-fruit, type: plan, group: fruit, title: Plan the fruit, prompt: What is there?, breakdown: true }
`;

test('a plan that is broken down leaves plan and tasks on its branch; merged, they are picked, and a rerun updates the rest', async () => {
  await using shop = openWorkshop({ tasks, agents: { a: agent(plan) } });
  expect((await shop.work('plan-fruit')).stdout).toContain('✓ Task #plan-fruit completed');
  expect(shop.git('diff', '--name-only', 'main', 'gza/plan-fruit')).toBe(
    'plans/plan-fruit.md\ntasks/fruit.yml',
  );
  expect(shop.git('log', '-1', '--format=%an%n%B', 'gza/plan-fruit')).toMatch(
    /^gza\nPlan the fruit\n\nplans\/plan-fruit.md: 2 tasks from headings\n[^]*wrote tasks\/fruit.yml: 2 new\n\nTask: plan-fruit/,
  );
  expect(shop.git('status', '--porcelain')).toBe('');
  expect(await shop.says('ready')).not.toContain('count-apples');
  expect(await shop.says('escalations')).toContain('plan-fruit: Plan the fruit (approval)');

  shop.git('merge', '-q', '--no-edit', 'gza/plan-fruit');
  await shop.work('count-apples');
  expect(await shop.says('escalations')).not.toContain('plan-fruit');
  expect((await shop.json('show plan-fruit'))['status']).toBe('completed');
  expect((await shop.json('show count-apples'))['status']).toBe('completed');

  const file = () => readFileSync(join(shop.repo, 'tasks/fruit.yml'), 'utf8');
  const before = file();
  shop.write(
    'plans/plan-fruit.md',
    plan.replace('Count apples', 'Weigh apples').replace('Depends on: Task 1', 'By hand.'),
  );
  const again = await shop.says('breakdown plans/plan-fruit.md');
  expect(again).toContain('count-apples is left alone: it has begun');
  expect(again).toContain('wrote tasks/fruit.yml: 1 new, 1 updated, 1 left alone');
  expect(file()).toContain('weigh-apples');
  expect(file()).toContain('By hand.');
  expect(before).not.toContain('By hand.');
});

test('a plan that is made anew after its merge leaves alone what has begun, and says so in its commit', async () => {
  await using shop = openWorkshop({ tasks, agents: { a: agent(plan) } });
  await shop.work('plan-fruit');
  shop.git('merge', '-q', '--no-edit', 'gza/plan-fruit');
  await shop.work('count-apples');
  shop.agent('a', agent(`${plan.replace('(new)', '(changed)')}By hand.\n### Task 3: Count plums\n`));
  await shop.says('reopen plan-fruit');
  await shop.says('retry plan-fruit --from-start');
  expect((await shop.work('plan-fruit')).stdout).toMatch(
    /^ {2}count-apples is left alone: it has begun\n[^]*✓ Task #plan-fruit completed/m,
  );
  const message = shop.git('log', '-1', '--format=%B', 'gza/plan-fruit');
  expect(message).toContain('count-apples is left alone: it has begun');
  expect(message).toContain('wrote tasks/fruit.yml: 1 new, 1 updated, 1 left alone');
  expect(shop.git('diff', 'main', 'gza/plan-fruit', '--', 'tasks')).toMatch(/^\+.*count-plums/m);
  expect((await shop.json('show plan-fruit'))['implementation_notes']).toContain('is left alone');
});

test('a plan that asks for approval has its file on a branch, and its dependents wait for the word or the merge', async () => {
  const asked = `tasks:
  - { id: plan-fruit, type: plan, title: Plan, prompt: What is there?, approval: required }
  - { id: count, type: implement, title: Count, prompt: Count., depends_on: plan-fruit }
  - { id: look, type: explore, title: Look, prompt: Look., approval: required }
`;
  await using shop = openWorkshop({ tasks: asked, agents: { a: agent(plan) } });
  const { stdout } = await shop.work('--all');
  expect(stdout).toContain('✓ Task #plan-fruit completed');
  expect(shop.git('diff', '--name-only', 'main', 'gza/plan-fruit')).toBe('plans/plan-fruit.md');
  // Only plans do.
  expect(shop.git('branch', '--list', 'gza/look')).toBe('');
  expect(await shop.says('why count')).toContain('gza approve plan-fruit, or merge its pull request');
  await shop.says('approve plan-fruit');
  expect((await shop.work('count')).code).toBe(0);
  expect(shop.git('diff', '--name-only', 'main', 'gza/count')).toBe('plans/plan-fruit.md\nsrc/count.js');
});

test('a plan of which no tasks come waits for a person, who says what is missing', async () => {
  await using shop = openWorkshop({
    tasks,
    agents: { a: agent('# Fruit\n\n- [ ] DB_PASSWORD=q8Zrx2Lp0vK9wTn4sYb7\n') },
  });
  await shop.work('plan-fruit');
  expect(shop.git('branch', '--list', 'gza/plan-fruit')).toBe('');
  expect(await shop.says('escalations')).toContain(
    'the plan was not filed: plans/plan-fruit.md: line 3 looks like',
  );

  await shop.says('unblock plan-fruit');
  shop.agent('a', agent('### Task 1: A\nAfter: Task 2\n### Task 2: B\nAfter: Task 1'));
  await shop.work('plan-fruit');
  expect(shop.git('diff', '--name-only', 'main', 'gza/plan-fruit')).toBe('plans/plan-fruit.md');
  const waiting = await shop.says('escalations');
  expect(waiting).toMatch(/plan-fruit: Plan the fruit \(no-breakdown\)\n.*wait for one another in a circle/);

  await shop.says(['note', 'plan-fruit', 'A goes first']);
  await shop.says('unblock plan-fruit');
  shop.agent('a', agent(plan));
  expect((await shop.work('plan-fruit')).stdout).toContain('✓ Task #plan-fruit completed');
  expect(shop.prompts('plan-fruit', 'plan').some((text) => text.includes('A goes first'))).toBe(true);
  expect(shop.git('show', 'gza/plan-fruit:tasks/fruit.yml')).toContain('count-pears');
});

test('a plan task’s own plan is broken down by its id; where there is none, the way to one is said', async () => {
  const plain = tasks.replace(', breakdown: true', '') + '  - { id: other, title: Other, prompt: Do. }\n';
  await using shop = openWorkshop({ tasks: plain, agents: { a: agent(plan) } });
  const fails = async (word: string) => {
    const ran = await shop.gza(['breakdown', word]);
    return `${ran.code} ${ran.stderr}`;
  };
  expect(await fails('plan-fruit')).toMatch(
    /^2 [^]*plan-fruit has no plan yet[^]*gza work plan-fruit makes one/,
  );
  expect(await fails('other')).toMatch(/^2 [^]*Name a plan task, or a Markdown file/);
  expect(await fails('nobody')).toMatch(/^2 [^]*nobody/);
  expect(await fails('docs/none.md')).toMatch(/^2 [^]*there is no file docs\/none.md/);
  await shop.work('plan-fruit');
  expect(shop.git('branch', '--list')).toBe('* main');
  const dry = await shop.says('breakdown plan-fruit --dry-run');
  expect(dry).toContain('the plan of plan-fruit: 2 tasks from headings');
  expect(existsSync(join(shop.repo, 'tasks/fruit.yml'))).toBe(false);
  const json = await shop.json<{ file: string; added: string[] }>('breakdown plan-fruit');
  expect([json.file, json.added]).toEqual(['tasks/fruit.yml', ['count-apples', 'count-pears']]);
  expect((await shop.gza(['check'])).code).toBe(0);
  expect(await shop.says('ready')).toContain('count-apples');
});

test('where the file of the group is the plan task itself, its tasks stand beside it', async () => {
  await using shop = openWorkshop({ tasks: 'tasks: []\n', agents: { a: agent(plan) } });
  shop.write('tasks/fruit.yml', 'type: plan\nprompt: Plan it.\nbreakdown: true\n');
  shop.commit('Plan', 'tasks/fruit.yml');
  await shop.work('fruit');
  expect(shop.git('diff', '--name-only', 'main', 'gza/fruit')).toBe('plans/fruit.md\ntasks/fruit-tasks.yml');
});

test('a link where the plan should be is not written through', async () => {
  await using shop = openWorkshop({ tasks, agents: { a: agent(plan) } });
  symlinkSync(shop.dir, join(shop.repo, 'plans'));
  shop.commit('A link', 'plans');
  const { stdout } = await shop.work('plan-fruit');
  expect(stdout).toContain('plans/plan-fruit.md cannot be written: something else has its place');
  expect(existsSync(join(shop.dir, 'plan-fruit.md'))).toBe(false);
  expect(await shop.says('escalations')).toContain('plan-fruit: Plan the fruit (refused-changes)');
});
