import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { keepAnswer, keptAnswer, stateOf } from '../src/app/kept-answer.ts';
import { workTreeBacklog } from '../src/backlog/work-tree-backlog.ts';
import { openRepository } from '../src/git/repository.ts';
import { readRefs } from '../src/ledger/store/refs.ts';
import { openCache } from '../src/system/cache.ts';
import { cleanUp, repository } from './ledger/fixture.ts';

afterEach(cleanUp);

async function keep(dir: string, words: readonly string[], until: string | null): Promise<void> {
  const opened = await openRepository(dir);
  const read = await workTreeBacklog({ root: dir, cache: openCache(opened.commonDir) }).read();
  const refs = await readRefs(opened, read.config.state_ref, read.config.base);
  keepAnswer(words, { repository: opened, state: stateOf(opened, read, refs), until }, 'the answer\n');
}

test('an answer holds until the claim that it counted on ends', async () => {
  const dir = repository();
  await keep(dir, ['ready'], '2026-01-01T12:00:00.000Z');
  const at = (now: string) => keptAnswer(['ready'], { cwd: dir, now });
  expect(await at('2026-01-01T11:59:59.000Z')).toBe('the answer\n');
  expect(await at('2026-01-01T12:00:00.000Z')).toBe(null);
});

test('a damaged answer, another question and a folder without a repository have no kept answer', async () => {
  const dir = repository();
  await keep(dir, ['next'], null);
  const now = '2026-01-01T12:00:00.000Z';
  const next = (cwd = dir, ...more: string[]) => keptAnswer(['next', ...more], { cwd, now });
  expect(await next()).toBe('the answer\n');
  expect(await next(dir, '--json')).toBe(null);
  expect(await next('/')).toBe(null);
  const file = join(dir, '.git', 'gza', 'cache', 'answer-next');
  writeFileSync(file, 'x');
  expect(await next()).toBe(null);
});
