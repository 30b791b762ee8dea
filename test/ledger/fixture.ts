/** Real repositories for the tests of this room, and tasks to put into them. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Event } from '../../src/core/ledger/event.ts';
import type { Claim, TaskRecord } from '../../src/core/ledger/record/record.ts';
import { openRepository } from '../../src/git/repository.ts';
import { type GitLedger, openLedger } from '../../src/ledger/git-ledger.ts';
import type { LedgerOptions } from '../../src/ledger/store/store.ts';

export const at = '2026-01-02T03:04:05Z';

const open: GitLedger[] = [];
const folders: string[] = [];

export function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'gza-ledger-')));
  folders.push(dir);
  return dir;
}

/** For afterEach. */
export function cleanUp(): void {
  for (const ledger of open.splice(0)) ledger.close();
  for (const dir of folders.splice(0)) {
    try {
      rmSync(dir, { recursive: true, force: true });
    } catch {
      // A test took the right to write away.
      execFileSync('chmod', ['-R', 'u+w', dir]);
      rmSync(dir, { recursive: true, force: true });
    }
  }
}

export function git(dir: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: dir,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 1 << 28,
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  }).trim();
}

export function repository(...args: string[]): string {
  const dir = folder();
  git(dir, 'init', '-q', '-b', 'main', ...args, '.');
  return dir;
}

export function commit(dir: string, message = 'a commit'): void {
  git(
    dir,
    '-c',
    'user.name=A',
    '-c',
    'user.email=a@example.com',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    message,
  );
}

export async function ledgerOf(dir: string, options: LedgerOptions = {}): Promise<GitLedger> {
  const ledger = openLedger(await openRepository(dir), options);
  open.push(ledger);
  return ledger;
}

export function task(id: string, more: Partial<TaskRecord> = {}): TaskRecord {
  return { id, type: 'task', title: `Title of ${id}`, content: `Do ${id}`, created_at: at, ...more };
}

export function add(id: string, more: Partial<TaskRecord> = {}): Event {
  return { kind: 'add', at, by: 'tester', task: task(id, more) };
}

export function note(id: string, text: string): Event {
  return { kind: 'note', at, id, text };
}

export function claimOf(taskId: string, holder: string, id = `claim-${holder}`): Claim {
  return { id, task: taskId, lane: `gza/${taskId}`, holder, at, until: '2026-01-02T04:04:05Z' };
}

export async function write(ledger: GitLedger, branch: string, ...events: Event[]) {
  return ledger.write(async () => ({ changes: [{ branch, events }] }));
}

export async function ids(ledger: GitLedger): Promise<string[]> {
  const rows = await (await ledger.view()).rows();
  return rows.map((row) => row.record.id).sort();
}

/** Gives a ref a new commit whose tree holds these files (one level), whoever they please. */
export function replaceTree(
  dir: string,
  ref: string,
  files: Record<string, string>,
  message = 'by hand',
): string {
  const rows = Object.entries(files).map(
    ([name, text]) => `100644 blob ${feed(dir, text, 'hash-object', '-w', '--stdin')}\t${name}`,
  );
  const tree = feed(dir, `${rows.join('\n')}\n`, 'mktree');
  const parent = git(dir, 'rev-parse', ref);
  const made = git(
    dir,
    '-c',
    'user.name=E',
    '-c',
    'user.email=e@example.com',
    'commit-tree',
    '-p',
    parent,
    '-m',
    message,
    tree,
  );
  git(dir, 'update-ref', ref, made);
  return made;
}

function feed(dir: string, input: string, ...args: string[]): string {
  return execFileSync('git', args, { cwd: dir, input, encoding: 'utf8' }).trim();
}
