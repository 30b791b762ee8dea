import { expect, test } from '@jest/globals';
import { openSandbox, type Sandbox } from './cli.ts';

async function commitOf(box: Sandbox, id: string): Promise<unknown> {
  return (await box.json(`show ${id}`))['closed_commit'];
}

test('done links the commit that was made since the claim', async () => {
  await using box = openSandbox();
  const id = await box.add('Work');
  await box.says(`claim ${id}`);
  box.write('a.txt', 'a\n');
  const commit = box.commit('Do the work', 'a.txt');
  expect(await box.says(`done ${id}`)).toBe(`${id}: done\n`);
  expect(await commitOf(box, id)).toBe(commit);
  expect(await box.json('agents')).toMatchObject({ claims: [] });
  expect(box.git('log', '-1', '--format=%N', '--notes=tasks')).toBe(id);
  expect(await box.says('log')).toBe(`${id}: Work (completed)\n  ${commit.slice(0, 7)} Do the work\n`);
  expect(await box.says('log --commits')).toMatch(
    new RegExp(String.raw`^${commit.slice(0, 7)} Do the work \(${id}\)\n[0-9a-f]{7} Begin\n$`),
  );
});

test('done without a commit since the claim links the next one, even within the same second', async () => {
  await using box = openSandbox();
  const id = await box.add('Work');
  box.commit('Something else, a moment before');
  await box.says(`claim ${id}`);
  await box.says(`done ${id}`);
  expect(await commitOf(box, id)).toBeNull();
  const next = box.commit('The next one');
  box.commit('One more');
  expect(await box.json('list --all')).toMatchObject([{ closed_commit: next }]);
  expect(box.git('log', '--format=%s: %N', '--notes=tasks')).toContain(`The next one: ${id}`);
});

test('in a repository without commits the first one is the next', async () => {
  await using box = openSandbox({ empty: true });
  const id = await box.add('Begin');
  expect(await box.says(`done ${id}`)).toBe(`${id}: done\n`);
  const first = box.commit('First');
  box.commit('Second');
  expect(await commitOf(box, id)).toBe(first);
});

test('a commit on a branch that does not go on from there is not the next one', async () => {
  await using box = openSandbox();
  box.git('switch', '-q', '-c', 'feature');
  box.commit('Feature work');
  const id = await box.add('Work');
  await box.says(`done ${id}`);
  box.git('switch', '-q', 'main');
  box.commit('Main goes on');
  expect(await commitOf(box, id)).toBeNull();
  box.git('switch', '-q', 'feature');
  const next = box.commit('The next one here');
  expect(await commitOf(box, id)).toBe(next);
});

test('an amended or rebased commit is found again by its patch', async () => {
  await using box = openSandbox();
  const id = await box.add('Work');
  await box.says(`claim ${id}`);
  box.write('a.txt', 'a\n');
  const commit = box.commit('Do the work', 'a.txt');
  await box.says(`done ${id}`);
  box.git('commit', '-q', '--amend', '-m', 'Do the work, said better');
  const amended = box.git('rev-parse', 'HEAD');
  expect(amended).not.toBe(commit);
  expect(await commitOf(box, id)).toBe(amended);

  box.git('switch', '-q', '-c', 'upstream', 'HEAD~1');
  box.write('b.txt', 'b\n');
  box.commit('Upstream', 'b.txt');
  box.git('switch', '-q', 'main');
  box.git('rebase', '-q', 'upstream');
  const rebased = box.git('rev-parse', 'HEAD');
  expect(rebased).not.toBe(amended);
  expect(await box.says('pr')).toContain(`- [x] ${id}: Work (${rebased.slice(0, 7)})`);

  // Another change is another commit: the link stays where it was.
  box.write('a.txt', 'something else\n');
  box.git('commit', '-q', '-a', '--amend', '--no-edit');
  expect(await commitOf(box, id)).toBe(rebased);
});

test('a Task: trailer names the task of a commit', async () => {
  await using box = openSandbox();
  const id = await box.add('Work');
  const commit = box.commit(`Half of it\n\nTask: ${id}`);
  expect(await box.json(`log ${id}`)).toEqual([
    { id, title: 'Work', status: 'pending', commits: [{ commit, subject: 'Half of it' }], steps: [] },
  ]);
});
