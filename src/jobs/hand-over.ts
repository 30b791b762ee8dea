/**
 * A pull request that a person opened is handed over: the open boxes of its description become tasks on its branch,
 * in their order. A box is known again by its text, so handing over twice files nothing twice.
 */
import { freeIds } from '../commands/new-id.ts';
import type { Project } from '../commands/project.ts';
import type { TaskView } from '../core/board.ts';
import { type HandedTask, type Handover, handOver, tickItem } from '../core/checklist-handover.ts';
import type { Event } from '../core/event.ts';
import type { LaneLink, TaskRecord } from '../core/record.ts';
import { handoverText } from '../core/text/handover-text.ts';
import { titleOf } from '../core/title.ts';
import type { PullFacts } from '../forge/forge.ts';
import type { Ci } from './ci.ts';

function boxKey(pull: Pick<PullFacts, 'number'>, key: string): string {
  return `pull:${pull.number}:${key}`;
}

export function hasOpenBoxes(body: string): boolean {
  return handOver(body).tasks.length > 0;
}

/** What was understood, for the answer. */
export async function takeOver(
  ci: Ci,
  { ledger, repository, board, view }: Project,
  pull: PullFacts,
  by: string,
): Promise<string> {
  const handover = handOver(pull.body);
  const known = new Set([...board.views.values()].map(({ record }) => record?.key));
  const fresh = handover.tasks.filter(({ key }) => !known.has(boxKey(pull, key)));
  const ids = new Map<string, string>();
  if (fresh.length > 0) {
    const base = `refs/heads/${view.base}`;
    const found = await repository.git.run(['merge-base', base, `refs/heads/${pull.branch}`]);
    const fork = found.code === 0 ? { fork_point: found.stdout.toString('utf8').trim() } : {};
    const lane: LaneLink = { id: ci.ports.random(), branch: pull.branch, ...fork };
    const at = ci.ports.now();
    await ledger.write(async (ledgers) => {
      const seeds = fresh.map(({ key }) => `${boxKey(pull, key)}\n${at}`);
      for (const [n, id] of (await freeIds(ledgers, seeds)).entries()) ids.set(fresh[n]?.key ?? '', id);
      const live = (await ledgers.meta(pull.branch))?.lane;
      const link = live === undefined ? lane : { ...lane, id: live };
      const tasks = recordsOf(handover, fresh, { ids, pull, by, at, lane: link });
      const events: Event[] =
        live === undefined
          ? [{ kind: 'open-lane', at, by, lane: link, tasks }]
          : tasks.map((task): Event => ({ kind: 'add', at, by, task }));
      return { changes: [{ branch: pull.branch, events }] };
    });
  }
  return handoverText(handover, ids, 'pull request');
}

interface Filing {
  readonly ids: ReadonlyMap<string, string>;
  readonly pull: PullFacts;
  readonly by: string;
  readonly at: string;
  readonly lane: LaneLink;
}

function recordsOf(
  { tasks }: Handover,
  fresh: readonly HandedTask[],
  { ids, pull, by, at, lane }: Filing,
): TaskRecord[] {
  const parents = new Set(tasks.map(({ parent }) => parent));
  let before: string | undefined;
  return fresh.map(({ key, text, parent }) => {
    const id = ids.get(key) ?? key;
    const above = parent === null ? undefined : ids.get(parent);
    const record: TaskRecord = {
      id,
      type: 'task',
      title: titleOf(text),
      content: `${text}\n\nA box of the checklist of pull request #${pull.number}: ${pull.title}`,
      created_at: at,
      created_by: by,
      key: boxKey(pull, key),
      lane,
      pull_request: { number: pull.number, url: pull.url, state: pull.state },
      ...(above === undefined ? {} : { parent: above }),
      ...(before === undefined ? {} : { depends_on: [before] }),
    };
    // What only holds others is done when they are.
    if (!parents.has(key)) before = id;
    return record;
  });
}

/** The description with a tick for every box whose task is done. */
export function tickDone(pull: PullFacts, body: string, tasks: readonly TaskView[]): string {
  const prefix = boxKey(pull, '');
  let ticked = body;
  for (const { record } of tasks) {
    if (record?.closed_as !== 'done' || !record.key?.startsWith(prefix)) continue;
    const result = tickItem(ticked, record.key.slice(prefix.length), record.closed_commit ?? '');
    if (result.kind === 'ticked') ticked = result.body;
  }
  return ticked;
}
