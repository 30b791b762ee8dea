import { expect, test } from '@jest/globals';
import { openSandbox, type RunOptions } from './cli.ts';

test('the session of task-chaining.md prints what the spec prints', async () => {
  await using box = openSandbox();
  const says = (args: string | readonly string[], options?: RunOptions) => box.says(args, options);
  // The texts come from an editor in the spec, and from standard input here.
  const add = async (words: string, text: string) =>
    (await says(`add ${words}`, { stdin: text })).split(':')[0] as string;
  const plan = await add('--type plan --group tarantino-v2', 'Plan ImageTransform system\n');
  const implement = await add(
    `--type implement --based-on ${plan} --review --group tarantino-v2`,
    'Implement ImageTransform',
  );
  const review = await add(
    `--type review --based-on ${implement} --group tarantino-v2`,
    'Review ImageTransform impl',
  );
  expect(await says('status tarantino-v2')).toBe(
    [
      'Group: tarantino-v2',
      `  ○ ${plan}. Plan ImageTransform system  pending`,
      `  ○ ${implement}. Implement ImageTransform    pending (blocked by #${plan})`,
      `  ○ ${review}. Review ImageTransform impl  pending (blocked by #${implement})`,
      '',
    ].join('\n'),
  );
  expect(await box.json(`show ${implement}`)).toMatchObject({
    type: 'implement',
    group: 'tarantino-v2',
    depends_on: [plan],
    create_review: true,
    same_branch: false,
    branch: null,
  });

  await says(`done ${plan}`);
  await says(`claim ${implement}`);
  const { closed_at } = await box.json<{ closed_at: string }>(`show ${plan}`);
  const [, month, day] = closed_at.slice(0, 10).split('-');
  expect(await says('status tarantino-v2')).toBe(
    [
      'Group: tarantino-v2',
      `  ✓ ${plan}. Plan ImageTransform system  completed  ${month}/${day}`,
      `  → ${implement}. Implement ImageTransform    in_progress`,
      `  ○ ${review}. Review ImageTransform impl  pending (blocked by #${implement})`,
      '',
    ].join('\n'),
  );

  const auth = [
    await add('--group auth-refactor', 'Split it'),
    await add('--group auth-refactor', 'Join it'),
  ];
  const others = [];
  for (const text of ['One', 'Two', 'Three', 'Four', 'Five']) others.push(await add('', text));
  expect(await says('groups')).toBe(
    [
      'tarantino-v2   3 tasks (1 pending, 1 in_progress, 1 completed)',
      'auth-refactor  2 tasks (2 pending)',
      '(ungrouped)    5 tasks',
      '',
    ].join('\n'),
  );

  expect(await says(`edit ${others[4]} --group tarantino-v2`)).toBe(`${others[4]}: Five (edited)\n`);
  expect((await box.json(`show ${others[4]}`))['group']).toBe('tarantino-v2');
  expect(await says(['edit', others[4] as string, '--group', ''])).toBe(`${others[4]}: Five (edited)\n`);
  expect((await box.json(`show ${others[4]}`))['group']).toBeNull();
  expect(auth).toHaveLength(2);
});

test('next prints runnable tasks and how many are blocked; --all prints them too', async () => {
  await using box = openSandbox();
  expect(await box.says('next')).toBe('No pending tasks.\n');
  const design = await box.add('Design ImageTransform system', '--type', 'plan');
  const implement = await box.add('Implement ImageTransform', '--type', 'implement', '--based-on', design);
  const fix = await box.add('Fix stats bug');
  const review = await box.add('Review ImageTransform', '--type', 'review', '--based-on', implement);
  expect(await box.says('next')).toBe(
    [
      `${design}. [plan] Design ImageTransform system`,
      `${fix}. [task] Fix stats bug`,
      '',
      '(2 tasks blocked by dependencies)',
      '',
    ].join('\n'),
  );
  expect(await box.says('next --all')).toBe(
    [
      `${design}. [plan] Design ImageTransform system`,
      `${implement}. [implement] Implement ImageTransform (blocked by #${design})`,
      `${fix}. [task] Fix stats bug`,
      `${review}. [review] Review ImageTransform (blocked by #${implement})`,
      '',
    ].join('\n'),
  );
});

test('--same-branch goes on on the branch of the task it is based on, and needs one', async () => {
  await using box = openSandbox();
  const refused = await box.gza(['add', 'Next step', '--same-branch']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('--same-branch needs --based-on');
  const first = await box.add('First step');
  const next = await box.add('Next step', '--based-on', first, '--same-branch');
  expect(await box.json(`show ${next}`)).toMatchObject({ same_branch: true, depends_on: [first] });
  await box.says(`claim ${first} --as ann`);
  const taken = await box.gza(['claim', first, '--as', 'bob']);
  expect(taken.code).toBe(3);
  expect(taken.stderr).toContain(`${first} is held by ann until `);
  const blocked = await box.gza(['claim', next]);
  expect(blocked).toMatchObject({ code: 3, stdout: '' });
  expect(blocked.stderr).toContain(`Task #${next} is blocked by #${first}`);
});

test('several dependencies, given in any of the spellings, are one list', async () => {
  await using box = openSandbox();
  const [a, b, c] = [await box.add('A'), await box.add('B'), await box.add('C')];
  const id = await box.add('D', '--after', `${a},${b}`, '--depends-on', c.slice(5), '--based-on', `#${a}`);
  expect(await box.json(`show ${id}`)).toMatchObject({
    depends_on: [a, b, c],
    after: a,
    dependencies: [a, b, c],
  });
  await box.says(`skip ${a}`);
  await box.says(`done ${b}`);
  expect(await box.json('ready')).toMatchObject([{ id: c }]);
  const dropped = await box.says(`delete ${c} --reason nobody`);
  expect(dropped).toBe(`${c}: deleted (now blocked: ${id})\n`);
  expect(await box.says('ready')).toBe(`(${id} blocked by #${c}, which was dropped (nobody))\n`);
});
