/** The threat model of docs/security.md names the tests that play it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

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
