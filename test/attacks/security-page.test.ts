/** The threat model of docs/security.md names the tests that play it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { judgeFiles } from './play.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const namedIn = (text: string) => [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);

test('every test that docs/security.md names is there', () => {
  expect(namedIn(page).length).toBeGreaterThan(10);
  expect(namedIn(page).filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('each row of the threat model says what they can do, what stops them, what does not, and which test plays it', () => {
  const [, section = ''] = page.split('## Who, and what stops them\n');
  const rows = (section.split('\n## ')[0] ?? '').split('\n').filter((line) => /^\| (?!who \||-)/.test(line));
  expect(rows.length).toBeGreaterThanOrEqual(10);
  for (const row of rows) {
    const cells = row.split(' | ').map((cell) => cell.replaceAll('|', '').trim());
    expect([row, cells.length, cells.every(Boolean)]).toEqual([row, 5, true]);
    expect([row, namedIn(cells[4] ?? '').length > 0]).toEqual([row, true]);
  }
});

/** Files that the page names as examples, with what it says becomes of them. */
function examples(): (readonly [string, string])[] {
  const [, section = ''] = page.split('## What a step may not change\n');
  const [tables = ''] = section.split('**What waits**');
  let verdict = '';
  return tables.split('\n').flatMap((line) => {
    const head = /^\| (refused|waits|named|left out)\b/.exec(line)?.[1];
    if (head !== undefined) verdict = head;
    const [, what = '', files = ''] = line.split('|');
    // Names of scripts, options and of what only counts in a file are no paths.
    if (
      !['refused', 'waits', 'named'].includes(verdict) ||
      /not to look|scripts|what runs on install/.test(what)
    )
      return [];
    return (
      [...files.matchAll(/`([^` ]+)`/g)]
        .map(([, path = '']) => path)
        .filter((path) => /^[\w./-]*[./][\w./-]*$|^[A-Z]\w+$/.test(path) && !/^\.git$/.test(path))
        // Of these it is what stands in them that counts.
        .filter((path) => path !== 'package.json' && path !== 'pyproject.toml')
        .map((path) => [verdict, path.endsWith('/') ? `${path}x.yml` : path] as const)
    );
  });
}

test.each(examples())('what docs/security.md says is %s, is: %s', (verdict, path) => {
  const judged = judgeFiles([{ path, after: path.endsWith('.json') ? '{}\n' : 'x\n' }]);
  expect([path, judged.verdict, judged.objections[0]?.why]).toEqual([path, verdict, expect.any(String)]);
});
test('and it names many', () => {
  expect(examples().length).toBeGreaterThan(40);
});
