import { expect, test } from '@jest/globals';
import { openSandbox } from './cli.ts';

test('add takes the flags of the review loop, long and short', async () => {
  await using box = openSandbox();
  const long = await box.add('Add feature X', '--type', 'implement', '--auto-review');
  const five = await box.add('Add feature X', '--type', 'implement', '--auto-review', '--max-cycles', '5');
  const short = await box.add('Add feature X', '-t', 'implement', '-a');
  const off = await box.add('Add feature X', '-t', 'implement', '--no-auto-review');
  const shown = async (id: string) => box.json(`show ${id}`);
  const common = { type: 'implement', auto_review: true, review_cycle: 0, final_verdict: null };
  expect(await shown(long)).toMatchObject({ ...common, max_review_cycles: 3 });
  expect(await shown(five)).toMatchObject({ ...common, max_review_cycles: 5 });
  expect(await shown(short)).toMatchObject({ ...common, max_review_cycles: 3 });
  expect(await shown(off)).toMatchObject({ auto_review: false });
  for (const cycles of ['0', '1.5', 'many']) {
    expect(await box.gza(['add', 'X', '--max-cycles', cycles])).toMatchObject({ code: 2, stdout: '' });
  }
});

test('the configuration of the spec gives each type its loop', async () => {
  await using box = openSandbox();
  box.write(
    'gza.yaml',
    'defaults:\n  auto_review: false\n  max_review_cycles: 3\ntask_types:\n  implement:\n    auto_review: true\n    max_review_cycles: 4\n',
  );
  const implement = await box.add('Add feature X', '-t', 'implement');
  const task = await box.add('Tidy up');
  expect(await box.json(`show ${implement}`)).toMatchObject({ auto_review: true, max_review_cycles: 4 });
  expect(await box.json(`show ${task}`)).toMatchObject({ auto_review: false, max_review_cycles: 3 });
  expect(await box.says(`config --explain ${implement}`)).toMatch(
    /auto_review +true +gza.yaml task_types.implement/,
  );
});

test('a verdict is forced by a person, shown in status, and taken back', async () => {
  await using box = openSandbox();
  const id = await box.add('Add feature X', '-t', 'implement', '-a');
  const next = await box.add('Use feature X', '--after', id);
  await box.says(`done ${id}`);
  await box.says(`edit ${id} --verdict CHANGES_REQUESTED`);
  expect(await box.says('status')).toBe(
    [
      `  ! ${id}. implement Add feature X  completed  CHANGES_REQUESTED`,
      `  ○ ${next}. task Use feature X       pending (blocked by #${id}, which ended CHANGES_REQUESTED)`,
      '',
    ].join('\n'),
  );
  expect(await box.says(`edit ${id} --verdict APPROVED`)).toBe(`${id}: Add feature X (edited)\n`);
  expect(await box.says('status')).toContain(`${id}. implement Add feature X  completed  APPROVED\n`);
  expect(await box.json('ready')).toMatchObject([{ id: next }]);
  await box.says(['edit', next, '--max-cycles', '7', '--budget', '2.5', '--priority', 'high']);
  expect(await box.json(`show ${next}`)).toMatchObject({ max_review_cycles: 7, priority: 'high' });
  await box.says(['edit', next, '--max-cycles', '', '--budget', '', '--priority', '']);
  expect(await box.json(`show ${next}`)).toMatchObject({ max_review_cycles: 3, priority: null });
  await box.says(['edit', id, '--verdict', '']);
  expect((await box.json(`show ${id}`))['final_verdict']).toBeNull();
  const wrong = await box.gza(['edit', id, '--verdict', 'APROVED']);
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('did you mean APPROVED?');
});
