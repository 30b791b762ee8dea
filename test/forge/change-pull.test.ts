import { afterEach, expect, test } from '@jest/globals';
import { linesInDiff } from '../../src/core/review/lines-in-diff.ts';
import { reviewBody } from '../../src/core/text/github/review-comment.ts';
import { type OpenForge, openForge, pullIn, wanted } from './open-forge.ts';

let forge: OpenForge | undefined;
afterEach(async () => {
  await forge?.github.close();
  forge = undefined;
});

const numbered = (count: number, change: (line: number) => string = (line) => `line ${line}`) =>
  `${Array.from({ length: count }, (_, index) => change(index + 1)).join('\n')}\n`;

async function withPull() {
  const made = await openForge({}, {}, { 'a.txt': numbered(100) });
  forge = made;
  const text = numbered(100, (line) => (line === 50 ? 'changed' : `line ${line}`));
  const head = await made.github.commit({
    branch: 'gza/t1',
    files: { 'a.txt': text, 'new.txt': numbered(60) },
  });
  const pull = pullIn(await made.write.openPull(wanted));
  made.asked();
  return { ...made, head, pull };
}

test('the lines that a diff shows are those of the new file', () => {
  const patch =
    '@@ -1,3 +1,4 @@ fn\n a\n-b\n+c\n+d\n e\n\\ No newline at end of file\n@@ -10 +11,0 @@\n-x\n@@ -20,0 +20 @@\n+y';
  expect([...linesInDiff(patch)]).toEqual([1, 2, 3, 4, 20]);
  expect([...linesInDiff('')]).toEqual([]);
});

const change = 'graphql/addPullRequestReview';
const comment = (path: string, line: number) => ({ path, line, body: `about ${path}:${line}` });

test('reviews, text and state change in one request: findings stand on their lines, the others in the body', async () => {
  const { write, read, github, head, asked, pull } = await withPull();
  const comments = [comment('a.txt', 50), comment('a.txt', 47)];
  const rest = [comment('a.txt', 3), comment('gone.txt', 1)];
  await write.changePull(pull, {
    reviews: [{ commit: head, body: '**Verdict: CHANGES_REQUESTED**', comments, rest }],
    fields: { title: 'New', body: 'told' },
    ready: true,
  });
  expect(asked()).toEqual([change]);
  expect(await read.pull(1)).toMatchObject({ title: 'New', body: 'told', state: 'open' });
  expect(github.state.reviewComments.map((one) => [one.path, one.line, one.side])).toEqual([
    ['a.txt', 50, 'RIGHT'],
    ['a.txt', 47, 'RIGHT'],
  ]);
  expect(github.state.reviews).toMatchObject([{ state: 'COMMENTED', commit: head }]);
  expect(github.state.reviews[0]?.body).toBe(
    [
      '**Verdict: CHANGES_REQUESTED**',
      '',
      '#### On lines outside the diff',
      '',
      '- `a.txt:3`: about a.txt:3',
      '- `gone.txt:1`: about gone.txt:1',
    ].join('\n'),
  );
});

test('at most thirty comments stand on lines', async () => {
  const { write, head, github, pull } = await withPull();
  const comments = Array.from({ length: 45 }, (_, index) => comment('new.txt', index + 1));
  await write.changePull(pull, { reviews: [{ commit: head, body: 'x', comments, rest: [] }] });
  expect(github.state.reviewComments).toHaveLength(30);
  expect(github.state.reviews[0]?.body.match(/about new\.txt/g)).toHaveLength(15);
});

test('when the head moved so that a line is refused, every word goes into the body, and the rest is changed once', async () => {
  const { write, read, head, github, asked, pull } = await withPull();
  const run = async () => void (await github.commit({ branch: 'gza/t1', files: { 'new.txt': numbered(2) } }));
  github.faults.add({ match: { operation: change }, effect: { kind: 'run', phase: 'before', run } });
  const comments = [comment('new.txt', 40)];
  const reviews = [{ commit: head, body: 'x', comments, rest: [] }];
  await write.changePull(pull, { reviews, fields: { body: 'told' } });
  expect(asked()).toEqual([change, change]);
  expect(github.state.reviews.map(({ body, commit }) => [body.includes('about new.txt:40'), commit])).toEqual(
    [[true, head]],
  );
  expect(await read.pull(1)).toMatchObject({ body: 'told' });
});

test('a review of a commit that was pushed away is posted on what is there', async () => {
  const { write, github, pull, head } = await withPull();
  const reviews = [{ commit: '1'.repeat(40), body: 'x', comments: [], rest: [] }];
  await write.changePull(pull, { reviews });
  expect(github.state.reviews).toMatchObject([{ commit: head }]);
});

test('where a review cannot be posted at all, the text does not say that it was', async () => {
  const { write, read, head, github, pull } = await withPull();
  const reviews = [{ commit: head, body: '', comments: [], rest: [] }];
  await expect(write.changePull(pull, { reviews, fields: { body: 'told' } })).rejects.toThrow(
    /refused to post a review.*can't be blank/i,
  );
  expect(github.state.reviews).toEqual([]);
  expect(await read.pull(1)).toMatchObject({ body: pull.body });
});

test('a review whose answer was lost is found and not posted twice; one that never arrived is left to the next run', async () => {
  const { write, read, head, github, asked, pull } = await withPull();
  const reviews = [{ commit: head, body: 'x', comments: [], rest: [] }];
  github.faults.add({ match: { operation: change }, effect: { kind: 'drop-after' } });
  await write.changePull(pull, { reviews, fields: { body: 'told' } });
  expect(asked()).toEqual([change, 'pulls/list-reviews', 'graphql/updatePullRequest']);
  expect([github.state.reviews.length, (await read.pull(1))?.body]).toEqual([1, 'told']);
  github.faults.add({ match: { operation: change }, effect: { kind: 'drop' } });
  const more = [{ ...reviews[0], commit: head, body: 'y', comments: [], rest: [] }];
  await expect(write.changePull(pull, { reviews: more, fields: { body: 'more' } })).rejects.toThrow(
    'GitHub failed when asked to post a review',
  );
  expect([github.state.reviews.length, (await read.pull(1))?.body]).toEqual([1, 'told']);
});

test('a body keeps to its length, and says what it left out', () => {
  const rest = Array.from({ length: 50 }, (_, index) => ({ path: 'a', line: index, body: 'y'.repeat(100) }));
  const { text, dropped } = reviewBody('head', rest, 2000);
  expect(text.length).toBeLessThanOrEqual(2000);
  expect(text.match(/^- /gm)).toHaveLength(50 - dropped);
  expect(text).toContain(`_${dropped} more did not fit`);
  expect(reviewBody('z'.repeat(5000), rest, 2000).dropped).toBe(50);
});
