/** Tasks that would wait for themselves: refused where a person makes them so, named where they came in another way. */
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

test('an edit that makes a task wait for itself is refused with the path, and changes nothing', async () => {
  await using shop = openWorkshop({});
  const [a, b, part] = [await shop.add('A'), await shop.add('B'), await shop.add('Part')];
  await shop.says(['edit', b, '--after', a]);
  await shop.says(['edit', part, '--parent', a]);
  const refused = [
    [['edit', a, '--after', b], `${a} → ${b} → ${a}`],
    [['edit', a, '--after', a], `${a} → ${a}`],
    [['edit', a, '--parent', a], `${a} → ${a}`],
    [['edit', a, '--parent', part], `${a} → ${part} → ${a}`],
    // A parent waits for its parts.
    [['edit', part, '--after', b], `${part} → ${b} → ${a} → ${part}`],
  ] as const;
  const before = shop.git('rev-parse', 'refs/tasks/main');
  for (const [words, path] of refused) {
    const { code, stderr } = await shop.gza(words);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`would wait for itself: ${path}`)]);
  }
  expect(shop.git('rev-parse', 'refs/tasks/main')).toBe(before);
  // What is done waits for nothing.
  await shop.says(['done', part]);
  await shop.says(['done', b]);
  expect(await shop.says(['edit', a, '--after', b])).toContain('(edited)');
});

test('check names what is wrong between filed tasks, however it came in', async () => {
  await using shop = openWorkshop({});
  const a = await shop.add('A');
  await shop.add('B', '--creates', 'b.txt', '--modifies', 'a.txt');
  await shop.says(['edit', a, '--creates', 'a.txt', '--modifies', 'b.txt']);
  expect(await shop.says('check')).toMatch(
    /^filed: warning: task-\w+ modifies [ab]\.txt, which #task-\w+ creates/,
  );

  // A file may be written after a filed task was made to wait for it.
  const write = (after: string) =>
    shop.write('tasks/t.yml', `tasks:\n  - id: t1\n    prompt: Do it\n${after}`);
  write('');
  await shop.says(['edit', a, '--after', 't1']);
  write(`    depends_on: [${a}]\n`);
  const { code, stdout } = await shop.gza(['check']);
  expect(code).toBe(2);
  expect(stdout).toContain(`filed: ${a} depends on itself in a circle: t1 → ${a} → t1\n`);
  expect(stdout).toContain(`tasks/t.yml:4:5: t1 depends on itself in a circle: `);
  expect(stdout).toMatch(/^1 task in files, 2 filed, 2 errors, 1 warning$/m);
});

test('a parent closes with its last part, and a part that is added opens it again', async () => {
  await using shop = openWorkshop({});
  const whole = await shop.add('Whole');
  const part = await shop.add('Part', '--parent', whole);
  await shop.says(['done', part]);
  const closed = async (id: string) => JSON.parse(await shop.says(['show', id, '--json'])).closed_at;
  expect(await closed(whole)).toBe(await closed(part));
  const again = await shop.says(['add', 'Again', '--parent', whole]);
  expect(again).toContain(`\n${whole}: open again, since this is a part of it\n`);
  await shop.says(['done', again.slice(0, 9)]);
  // Also when somebody closed the parent by its name.
  await shop.says(['done', whole]);
  const more = await shop.says(['add', 'More', '--parent', whole]);
  expect(more).toMatch(new RegExp(`^task-\\w+: More\\n${whole}: open again, since this is a part of it\\n$`));
  expect(await closed(whole)).toBeNull();
  expect(await shop.says(['list', '--all'])).toMatch(/→ .*Whole +in_progress/);
});

test('a filed task that is closed can be corrected by a person, and by nobody else', async () => {
  await using shop = openWorkshop({});
  const id = await shop.add('Wrong words');
  await shop.says(['done', id]);
  expect(await shop.says(['edit', id, '--content', 'Right words'])).toBe(`${id}: Right words (edited)\n`);
  const { status, content } = JSON.parse(await shop.says(['show', id, '--json']));
  expect({ status, content }).toEqual({ status: 'completed', content: 'Right words' });
  const agent = await shop.gza(['edit', id, '--content', 'Other'], { env: { GZA_AGENT: 'claude' } });
  expect(agent.code).toBe(2);
});
