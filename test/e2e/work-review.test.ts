import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { openWorkshop } from './workshop.ts';

const one = `tasks:
  - id: "29"
    type: implement
    title: Add user authentication
    prompt: Add it.
    auto_review: true
    max_review_cycles: 3
`;

const loops = `case $GZA_STEP$GZA_CYCLE in
  implement*) echo auth > auth.txt; echo done ;;
  review1) verdict CHANGES_REQUESTED 'missing input validation' ;;
  review2) verdict CHANGES_REQUESTED 'add rate limiting' ;;
  review3) verdict APPROVED ;;
  improve*) echo "better $GZA_CYCLE" >> auth.txt; echo improved ;;
esac`;

test('the example of review-improve-loop.md prints what the spec prints', async () => {
  await using shop = openWorkshop({ tasks: one, agents: { a: loops } });
  const { stdout, stderr, code } = await shop.work();
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.split('\n').slice(0, 13)).toEqual([
    'Running task #29: Add user authentication',
    '  [1/3] Implementing...',
    '  [1/3] Implementation complete',
    '  [1/3] Running review...',
    '  [1/3] Review: CHANGES_REQUESTED - missing input validation',
    '  [2/3] Improving...',
    '  [2/3] Running review...',
    '  [2/3] Review: CHANGES_REQUESTED - add rate limiting',
    '  [3/3] Improving...',
    '  [3/3] Running review...',
    '  [3/3] Review: APPROVED',
    '✓ Task #29 completed (APPROVED after 3 cycles)',
    '',
  ]);
  expect(shop.git('log', '--format=%s', 'main..gza/29').split('\n')).toEqual([
    'Address review feedback (cycle 2): add rate limiting',
    'Address review feedback (cycle 1): missing input validation',
    'Add user authentication',
  ]);
  expect(shop.git('log', '-1', '--format=%(trailers:key=Task,valueonly)', 'gza/29').trim()).toBe('29');
  expect(readdirSync(join(shop.repo, '.gza/reviews')).sort()).toEqual([
    '29-review-1.md',
    '29-review-2.md',
    '29-review-3.md',
  ]);
  expect(await shop.says('status')).toMatch(
    /✓ 29\. implement Add user authentication\s+completed\s+APPROVED \(3 cycles\)/,
  );
  expect(shop.git('status', '--porcelain')).toBe('');
  expect(readdirSync(shop.state('clones'))).toEqual([]);
  expect(await shop.says('fsck')).not.toMatch(/differ/);
});

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do ${id}., auto_review: true${more} }\n`;

test('loops that do not end in approval wait for a person with a reason, each in its own way', async () => {
  const tasks = `tasks:\n${task('max', ', max_review_cycles: 2')}${task('talk')}${task('mute')}${task('both')}${task('stuck')}${task('edits')}`;
  await using shop = openWorkshop({
    tasks,
    config: 'parallel_workers: 2\n',
    agents: {
      a: `case $GZA_TASK.$GZA_STEP in
  *.implement) echo 1 > $GZA_TASK.txt; echo done ;;
  stuck.improve) echo 'nothing to do' ;;
  *.improve) echo $GZA_CYCLE >> $GZA_TASK.txt; echo improved ;;
  max.review | task-*.review) verdict CHANGES_REQUESTED "not yet $GZA_CYCLE" ;;
  talk.review) verdict NEEDS_DISCUSSION ;;
  mute.review) echo 'It looks fine to me.' ;;
  both.review) verdict APPROVED; verdict CHANGES_REQUESTED ;;
  stuck.review) verdict CHANGES_REQUESTED 'the same again' ;;
  edits.review) echo hacked > edits.txt; echo new > planted.txt; verdict APPROVED ;;
esac`,
    },
  });
  const { stdout, code } = await shop.work('--all');
  expect(code).toBe(3);
  expect(stdout).toContain('Max review cycles (2) reached without approval');
  expect(stdout).toContain('! Task #max completed (MAX_CYCLES_REACHED after 2 cycles)');
  expect(stdout).toContain('! Task #talk completed (NEEDS_DISCUSSION after 1 cycle)');
  expect(stdout).toContain('! Task #stuck completed (CHANGES_REQUESTED after 1 cycle)');
  expect(stdout).toContain('✓ Task #edits completed (APPROVED after 1 cycle)');
  // What a reviewer changed is thrown away, and said.
  expect(stdout).toMatch(
    /review may not change files; thrown away: (edits.txt, planted.txt|planted.txt, edits.txt)/,
  );
  expect(shop.git('ls-tree', '--name-only', 'gza/edits')).not.toContain('planted.txt');
  const waiting = await shop.json<{ id: string; reason: string; commands: string[] }[]>('escalations');
  expect(Object.fromEntries(waiting.map(({ id, reason }) => [id, reason]))).toEqual({
    max: 'max-cycles',
    talk: 'needs-discussion',
    mute: 'no-verdict',
    both: 'no-verdict',
    stuck: 'improve-without-effect',
  });
  // No verdict is asked for once more, and spends no improve.
  const runs = shop.runs();
  expect(runs.filter((run) => run.startsWith('a mute '))).toEqual([
    'a mute implement 0',
    'a mute review 1',
    'a mute review 1',
  ]);
  expect(runs.filter((run) => run.startsWith('a both '))).toHaveLength(3);
  expect(runs.filter((run) => run.startsWith('a max '))).toHaveLength(4);
  expect(existsSync(join(shop.repo, '.gza/reviews/mute-review-1.md'))).toBe(true);

  // Forced approval, and going on by hand.
  await shop.says('edit both --verdict APPROVED');
  expect((await shop.work('both')).stdout).toContain('✓ Task #both completed (APPROVED after');
  const after = await shop.gza(['improve', 'max', '--review', 'keep the old route']);
  expect(after.code).toBe(3);
  expect(after.stdout).toMatch(
    /Improving\.\.\.[^]*Running review task #task-[0-9a-f]+\.\.\.[^]*! Review completed/,
  );
  const improve =
    shop
      .runs()
      .find((run) => /task-[0-9a-f]+ improve/.test(run))
      ?.split(' ')[1] ?? '';
  const [prompt = ''] = shop.prompts(improve, 'improve');
  expect(prompt).toContain('keep the old route');
  expect(prompt).toContain('not yet 2');
  expect(shop.git('log', '-1', '--format=%s', 'gza/max')).toBe('Address review feedback (cycle 2)');
  expect(shop.record('max')['final_verdict']).toBe('MAX_CYCLES_REACHED');
});

test('gza improve --review 2 answers that review, not the last, and reviews nothing', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n  - { id: a, type: implement, title: Task a, prompt: Do it., auto_review: true }\n`,
    agents: {
      x: `case $GZA_STEP in
  review) verdict CHANGES_REQUESTED "point of cycle $GZA_CYCLE" ;;
  *) echo $GZA_TASK.$GZA_CYCLE.$$ >> a.txt; echo done ;;
esac`,
    },
  });
  await shop.work('a');
  const refused = await shop.gza(['improve', 'a', '--review', '4']);
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining('there is no review 4 of a: it has 1 to 3'),
  ]);
  const ran = await shop.gza(['improve', 'a', '--review', '2']);
  expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining(': Improve Task a\n')]);
  expect(shop.runs().at(-1)).toContain(' improve ');
  const [prompt = ''] = shop.prompts(/Running task #(task-\w+)/.exec(ran.stdout)?.[1] ?? '', 'improve');
  const [before, answered] = prompt.split('## The change so far');
  expect(before).toContain('point of cycle 2');
  expect(before).not.toContain('point of cycle 3');
  expect(answered).toContain('point of cycle 3');
  expect(shop.git('log', '-1', '--format=%s', 'gza/a')).toBe('Address review feedback (cycle 2)');
});
