/** The rooms of src/, what each may import, and how full they may be. ARCHITECTURE.md has the same table for people. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from '@jest/globals';

const root = join(import.meta.dirname, '..');

/** From the lowest to the highest: a room may import those above it in this list, itself, and no other. */
const rooms = [
  'core',
  'report',
  'system',
  'git',
  'github/api',
  'backlog',
  'ledger',
  'workspace',
  'agents',
  'trackers',
  'app',
  'engine',
  'github',
  'commands',
  'cli',
  'action',
] as const;
type Room = (typeof rooms)[number];

/** Rooms at the same height that have nothing to say to each other. */
const strangers: Partial<Record<Room, readonly Room[]>> = {
  git: ['system'],
  'github/api': ['system', 'git'],
  backlog: ['github/api'],
  ledger: ['github/api', 'backlog'],
  workspace: ['github/api', 'backlog', 'ledger'],
  agents: ['git', 'github/api', 'backlog', 'ledger', 'workspace'],
  trackers: ['git', 'backlog', 'ledger', 'workspace', 'agents'],
};

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => path.replaceAll('\\', '/'));

function roomOf(path: string): Room {
  const room = [...rooms].filter((one) => path.startsWith(`${one}/`)).sort((a, b) => b.length - a.length)[0];
  if (room === undefined) throw new Error(`${path} is in no room`);
  return room;
}

function importsOf(path: string): string[] {
  const text = readFileSync(join(root, 'src', path), 'utf8');
  const found = text.matchAll(/^(?:import|export) [^'`]*?from '(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm);
  return [...found].map(([, from, lazily]) =>
    relative(join(root, 'src'), join(root, 'src', dirname(path), from ?? lazily ?? '')).replaceAll('\\', '/'),
  );
}

test('imports go one way', () => {
  const wrong = files.flatMap((path) => {
    const room = roomOf(path);
    return importsOf(path)
      .filter((target) => {
        const other = roomOf(target);
        const isBelow = rooms.indexOf(other) <= rooms.indexOf(room);
        return !isBelow || strangers[room]?.includes(other);
      })
      .map((target) => `${path} → ${target}`);
  });
  expect(wrong).toEqual([]);
});

test('no folder is a long list', () => {
  const count = new Map<string, number>();
  for (const path of files) count.set(dirname(path), (count.get(dirname(path)) ?? 0) + 1);
  expect([...count].filter(([, size]) => size > 22)).toEqual([]);
});

test('ARCHITECTURE.md describes each room, and begins it with a file that says what it is for', () => {
  const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  for (const room of rooms) {
    const row = page.split('\n').find((line) => line.startsWith(`| \`src/${room}\` |`));
    const first = /\| `([\w./-]+\.ts)` \|/.exec(row ?? '')?.[1];
    expect([room, first]).toEqual([room, expect.any(String)]);
    expect(readFileSync(join(root, 'src', room, first as string), 'utf8')).toMatch(/^(?:#!.*\n)?\/\*\*/);
  }
});
