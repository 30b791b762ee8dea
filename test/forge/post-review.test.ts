import { afterEach, expect, test } from '@jest/globals';
import { linesInDiff } from '../../src/core/review/lines-in-diff.ts';
import { reviewBody } from '../../src/core/text/github/review-comment.ts';
import { type OpenForge, openForge, wanted } from './open-forge.ts';

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
  await made.write.openPull(wanted);
  made.asked();
  return { ...made, head };
}

test('the lines that a diff shows are those of the new file', () => {
  const patch =
    '@@ -1,3 +1,4 @@ fn\n a\n-b\n+c\n+d\n e\n\\ No newline at end of file\n@@ -10 +11,0 @@\n-x\n@@ -20,0 +20 @@\n+y';
  expect([...linesInDiff(patch)]).toEqual([1, 2, 3, 4, 20]);
  expect([...linesInDiff('')]).toEqual([]);
});

test('a review is one post: findings on lines of the diff stand there, the others in the body', async () => {
  const { write, github, head, asked } = await withPull();
  const comment = (path: string, line: number) => ({ path, line, body: `about ${path}:${line}` });
  const comments = [comment('a.txt', 50), comment('a.txt', 47), comment('a.txt', 3), comment('gone.txt', 1)];
  const posted = await write.postReview(1, {
    commit: head,
    body: '**Verdict: CHANGES_REQUESTED**',
    comments,
  });
  expect(posted).toEqual({ id: github.state.reviews[0]?.id, inline: 2, inBody: 2, dropped: 0 });
  expect(asked()).toEqual(['pulls/list-files', 'pulls/create-review']);
  expect(github.state.reviewComments.map((one) => [one.path, one.line, one.side])).toEqual([
    ['a.txt', 50, 'RIGHT'],
    ['a.txt', 47, 'RIGHT'],
  ]);
  expect(github.state.reviews[0]).toMatchObject({ state: 'COMMENTED', commit: head });
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

test('a review without comments reads no files', async () => {
  const { write, head, asked } = await withPull();
  await write.postReview(1, { commit: head, body: '**Verdict: APPROVED**', comments: [] });
  expect(asked()).toEqual(['pulls/create-review']);
});

test('at most thirty comments stand on lines', async () => {
  const { write, head, github } = await withPull();
  const comments = Array.from({ length: 45 }, (_, index) => ({
    path: 'new.txt',
    line: index + 1,
    body: `${index}`,
  }));
  expect(await write.postReview(1, { commit: head, body: 'x', comments })).toMatchObject({
    inline: 30,
    inBody: 15,
  });
  expect(github.state.reviewComments).toHaveLength(30);
});

test('when the head moved so that a line is refused, every word goes into the body', async () => {
  const { write, head, github, asked } = await withPull();
  github.faults.add({
    match: { operation: 'pulls/create-review' },
    effect: {
      kind: 'run',
      phase: 'before',
      run: async () => void (await github.commit({ branch: 'gza/t1', files: { 'new.txt': numbered(2) } })),
    },
  });
  const comments = [{ path: 'new.txt', line: 40, body: 'about a line that is gone' }];
  expect(await write.postReview(1, { commit: head, body: 'x', comments })).toMatchObject({
    inline: 0,
    inBody: 1,
  });
  expect(asked()).toEqual(['pulls/list-files', 'pulls/create-review', 'pulls/create-review']);
  expect(github.state.reviews).toHaveLength(1);
  expect(github.state.reviews[0]?.body).toContain('about a line that is gone');
});

test('a review of a commit that was pushed away is posted on what is there', async () => {
  const { write, github } = await withPull();
  const gone = '1'.repeat(40);
  expect(await write.postReview(1, { commit: gone, body: 'x', comments: [] })).toMatchObject({ dropped: 0 });
  expect(github.state.reviews).toHaveLength(1);
});

test('a review whose answer was lost is found and not posted twice', async () => {
  const { write, head, github, asked } = await withPull();
  github.faults.add({ match: { operation: 'pulls/create-review' }, effect: { kind: 'drop-after' } });
  const posted = await write.postReview(1, { commit: head, body: 'x', comments: [] });
  expect(posted.id).toBe(github.state.reviews[0]?.id);
  expect(asked()).toEqual(['pulls/create-review', 'pulls/list-reviews']);
});

test('a body keeps to its length, and says what it left out', () => {
  const rest = Array.from({ length: 50 }, (_, index) => ({ path: 'a', line: index, body: 'y'.repeat(100) }));
  const { text, dropped } = reviewBody('head', rest, 2000);
  expect(text.length).toBeLessThanOrEqual(2000);
  expect(text.match(/^- /gm)).toHaveLength(50 - dropped);
  expect(text).toContain(`_${dropped} more did not fit`);
  expect(reviewBody('z'.repeat(5000), rest, 2000).dropped).toBe(50);
});
