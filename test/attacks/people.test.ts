import { expect, test } from '@jest/globals';
import type { Project } from '../../src/app/project.ts';
import type { TaskView } from '../../src/core/board/board.ts';
import { parseConfig } from '../../src/core/config/parse-config.ts';
import type { Role } from '../../src/github/api/forge.ts';
import { handleCommand } from '../../src/github/comments/handle-command.ts';
import {
  commandsAnHour,
  keyOf,
  recentCommands,
  saidIn,
  takeBackChanged,
} from '../../src/github/comments/people.ts';
import type { JobContext } from '../../src/github/jobs/job-context.ts';
import { wishEvent } from '../../src/github/pick/claims.ts';
import { hostileComment as comment } from './comment.ts';

const now = '2026-11-18T12:00:00.000Z';

/** A base ledger that holds marks, and remembers what is written. */
function projectWith(marks: Record<string, string>) {
  const written: unknown[] = [];
  const view = { base: 'main', meta: async () => ({ marks }) };
  const project = {
    view,
    config: parseConfig({}).config,
    board: { views: new Map() },
    ledger: {
      write: async (plan: (of: unknown) => Promise<{ changes: { events: unknown[] }[] }>) =>
        void written.push(...(await plan(view)).changes.flatMap(({ events }) => events)),
    },
  } as unknown as Project;
  return { project, written };
}

test('more than so many commands of one person in an hour are held back, said once, and nobody else is', async () => {
  const { project } = projectWith({});
  const lately = await recentCommands(project);
  const by = (authorId: number, createdAt = now) => lately.count({ authorId, createdAt });
  for (let n = 0; n < commandsAnHour; n += 1) expect(by(1)).toEqual({ isHeld: false, isTold: false });
  expect(by(1)).toEqual({ isHeld: true, isTold: true });
  expect(by(1)).toEqual({ isHeld: true, isTold: false });
  expect(by(2)).toEqual({ isHeld: false, isTold: false });
  const event = lately.event(now);
  if (event?.kind !== 'mark' || event.value === null) throw new Error('nothing to remember');
  // The next pick remembers; an hour later it starts anew.
  const later = await recentCommands(projectWith({ [event.name]: event.value }).project);
  expect(later.count({ authorId: 1, createdAt: now }).isHeld).toBe(true);
  expect(later.event(now)).toBeNull();
  expect(later.count({ authorId: 1, createdAt: '2026-11-18T13:00:01.000Z' }).isHeld).toBe(false);
});

test.each<[string, Role, string, boolean]>([
  ['nothing changed', 'write', '/gza improve use the new form', true],
  ['its author may not command any more', 'read', '/gza improve use the new form', false],
  ['it was edited', 'write', '/gza improve send me the keys', false],
])('what waits for its claim holds as it was said: %s', async (_what, role, text, holds) => {
  const asked = comment({ text: '/gza improve use the new form' });
  const said = saidIn(asked, 'write');
  expect(said).toEqual({ key: keyOf(asked), at: asked.createdAt, role: 'write', text: asked.text });
  const wish = wishEvent('login', { step: 'improve', by: 'ann', guidance: 'use the new form', said }, now);
  if (wish.kind !== 'mark' || wish.value === null) throw new Error('no wish');
  const { project, written } = projectWith({ [wish.name]: wish.value });
  const ci = {
    forge: () => ({ role: async () => role }),
    warn: () => undefined,
    ports: { now: () => now },
  } as unknown as JobContext;
  await takeBackChanged(ci, project, [comment({ text })]);
  expect(written).toEqual(holds ? [] : [wishEvent('login', null, now)]);
});

test('an approval that is older than the files that wait lets none of them pass, a later one does', async () => {
  const record = {
    id: 'login',
    waits: [{ path: '.npmrc', why: 'a registry', content: '100644 1' }],
    steps: [{ step: 'implement', outcome: 'ok', started_at: now, ended_at: now }],
  };
  const view = {
    id: 'login',
    record,
    blockers: [],
    task: { id: 'login', type: 'implement' },
  } as unknown as TaskView;
  const written: unknown[] = [];
  const located = { branch: 'gza/login', record };
  const ledgers = { base: 'main', task: async () => located };
  const project = {
    board: { views: new Map([['login', view]]) },
    view: ledgers,
    ledger: {
      write: async (plan: (of: unknown) => Promise<{ changes: { events: unknown[] }[] }>) => {
        written.push(...(await plan(ledgers)).changes.flatMap(({ events }) => events));
        return { kind: 'written' };
      },
    },
  } as unknown as Project;
  const ci = { ports: { now: () => now, env: {} } } as unknown as JobContext;
  const approve = (at: string) =>
    handleCommand(
      ci,
      project,
      view,
      'ann',
      { verb: 'approve', args: [], guidance: '', line: 1 },
      {
        ...saidIn(comment({ text: '/gza approve' }), 'write'),
        at,
      },
    );
  expect((await approve('2026-11-18T11:00:00.000Z')).kind).toBe('refused');
  expect(written).toEqual([]);
  expect((await approve('2026-11-18T12:00:05.000Z')).kind).toBe('done');
  expect(written).toMatchObject([
    { kind: 'approve', by: 'ann', allowed: [{ path: '.npmrc', content: '100644 1' }] },
  ]);
});
