import type { Event } from '../core/event.ts';
import type { TaskRecord } from '../core/record.ts';
import { parseTime } from '../core/time.ts';
import { type Stamp, changeTask, writeToTask } from './change-task.ts';
import type { Command, Ports } from './command.ts';
import { findTask } from './find-task.ts';
import { type Project, openProject } from './project.ts';
import { type HeadCommit, headCommit, patchIdOf } from './settle-links.ts';

export const command: Command = {
  spec: {
    name: 'done',
    summary: 'mark a task complete; the commit made since its claim closes it, else the next one',
    arguments: [
      { name: 'id', required: true, completes: 'id' },
      { name: 'words', many: true },
    ],
    options: [{ name: 'note', type: 'text', value: '<text>', help: 'append a note as well' }],
    examples: [
      { command: 'gza done task-a3f8 --note "kept the old route as an alias"', shows: 'task-a3f8: done' },
    ],
  },
  run: async ({ args, options }, ports) => {
    const project = await openProject(ports);
    const found = findTask(project.board, args[0] as string);
    const note = (options['note'] as string | undefined) ?? (args.slice(1).join(' ') || undefined);
    const link = await closingLink(project, found.record);
    const events = (record: TaskRecord | null, stamp: Stamp) =>
      closeEvents(found.id, record, stamp, link, note);
    if (found.record?.closed_as === 'done' && note === undefined) {
      return changeTask(
        found.id,
        ports,
        () => [],
        () => `${found.id}: done (already)`,
      );
    }
    await writeToTask(project, found.id, ports, events);
    await releaseClaims(project, found.id, ports);
    return changeTask(
      found.id,
      ports,
      () => [],
      () => `${found.id}: done`,
    );
  },
};

type Link = { commit: string; patch?: string } | { link_next: string };

/** The current commit closes the task if it was made since the task was claimed. */
async function closingLink(project: Project, record: TaskRecord | null): Promise<Link> {
  const head: HeadCommit | null = await headCommit(project.repository);
  const since = record?.started_at;
  if (head && since !== undefined && head.time >= Math.floor(parseTime(since) / 1000) * 1000) {
    const patch = await patchIdOf(project.repository, head.id);
    return patch ? { commit: head.id, patch } : { commit: head.id };
  }
  return { link_next: head?.id ?? 'none' };
}

function closeEvents(
  id: string,
  record: TaskRecord | null,
  stamp: Stamp,
  link: Link,
  note: string | undefined,
): Event[] {
  const noted: Event[] = note === undefined ? [] : [{ kind: 'note', ...stamp, id, text: note }];
  if (record?.closed_as === 'done') return noted;
  return [...noted, { kind: 'close', ...stamp, id, as: 'done', ...link }];
}

/** What is done is held by nobody. */
export async function releaseClaims(project: Project, id: string, ports: Ports): Promise<void> {
  if (!project.board.claims.some((claim) => claim.task === id)) return;
  await project.ledger.write(async (view) => {
    const claim = (await view.meta(view.base))?.claims?.find((one) => one.task === id);
    if (!claim) return null;
    const event: Event = { kind: 'release', at: ports.now(), claim: claim.id, why: 'done' };
    return { changes: [{ branch: view.base, events: [event] }] };
  });
}
