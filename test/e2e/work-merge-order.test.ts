/**
 * Whatever is merged in whatever order, and however: no commit is lost, and every branch ends on the default branch or
 * it is said why not.
 */
import { expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { openWorkshop } from './workshop.ts';

jest.setTimeout(900_000);

type Shop = ReturnType<typeof openWorkshop>;
const ids = ['a', 'b', 'c', 'd'] as const;
type Id = (typeof ids)[number];

/** What a task waits for is among those before it. */
const graph = fc.tuple(
  fc.constant([] as Id[]),
  fc.subarray<Id>(['a']),
  fc.subarray<Id>(['a', 'b']),
  fc.subarray<Id>(['a', 'b', 'c']),
);
const hows = ['squash', 'rebase', 'merge', 'queue', 'into-join'] as const;
const act = fc.record({
  id: fc.constantFrom(...ids),
  how: fc.constantFrom(...hows),
  /** What comes between this and the next. */
  after: fc.constantFrom('nothing', 'work', 'improve'),
});

function tasksOf(waits: readonly (readonly Id[])[]): string {
  const line = (id: Id, at: number) =>
    `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it., depends_on: [${waits[at]?.join(', ') ?? ''}] }\n`;
  return `tasks:\n${ids.map(line).join('')}`;
}

const has = (shop: Shop, ref: string) => shop.git('for-each-ref', `refs/heads/${ref}`) !== '';

/** As people and hosts do it; one that does not apply leaves all as it is. */
function merge(shop: Shop, id: Id, how: (typeof hows)[number]): void {
  const branch = `gza/${id}`;
  if (!has(shop, branch)) return;
  const lane = shop.record(id)['lane'] as { fork_point?: string; stacked_on?: string } | undefined;
  const quietly = (...args: string[]) => {
    try {
      shop.git(...args);
      return true;
    } catch {
      return false;
    }
  };
  const into =
    how === 'into-join' && lane?.stacked_on && has(shop, lane.stacked_on) ? lane.stacked_on : 'main';
  shop.git('switch', '-q', into);
  if (how === 'merge' || how === 'queue' || how === 'into-join') {
    if (how === 'queue') shop.git('commit', '-q', '--allow-empty', '-m', 'Another of the queue');
    if (!quietly('merge', '-q', '--no-ff', '-m', `Merge ${branch}`, branch)) quietly('merge', '--abort');
  } else if (how === 'squash') {
    if (!quietly('merge', '-q', '--squash', branch)) shop.git('reset', '-q', '--hard');
    else quietly('commit', '-q', '-m', `Squashed ${branch}`);
  } else {
    const from = shop.git('merge-base', 'main', branch);
    if (!quietly('cherry-pick', `${from}..${branch}`) && !quietly('cherry-pick', '--abort'))
      shop.git('reset', '-q', '--hard');
  }
  shop.git('switch', '-q', 'main');
}

const holds = (shop: Shop, ref: string, id: Id) =>
  shop.git('ls-tree', '--name-only', ref).split('\n').includes(`${id}.txt`);

/** A task's work is on the default branch, or on a branch that is kept. */
function lost(shop: Shop): Id[] {
  const branches = shop.git('for-each-ref', '--format=%(refname)', 'refs/heads').split('\n');
  return ids.filter(
    (id) => shop.record(id)['closed_as'] === 'done' && !branches.some((ref) => holds(shop, ref, id)),
  );
}

test('merged by squash, rebase, queue or hand, in any order, no work is lost, and each branch ends on the base or says why not', async () => {
  await fc.assert(
    fc.asyncProperty(graph, fc.array(act, { minLength: 2, maxLength: 4 }), async (waits, acts) => {
      await using shop = openWorkshop({
        tasks: tasksOf(waits),
        config: 'parallel_workers: 4\n',
        agents: { x: 'echo "$GZA_STEP" >> $GZA_TASK.txt; echo done' },
      });
      const said: string[] = [(await shop.work('--all')).stdout];
      for (const { id, how, after } of acts) {
        merge(shop, id, how);
        if (after === 'work') said.push((await shop.work('--all')).stdout);
        if (after === 'improve') said.push((await shop.gza(['improve', 'd', 'say more'])).stdout);
        expect({ lost: lost(shop), said }).toEqual({ lost: [], said });
      }
      // In the end all that waits is merged as gza lists it, from the bottom.
      for (let count = 0; count < 6; count += 1) {
        said.push((await shop.work('--all')).stdout);
        const [next] = await shop.json<{ id: Id }[]>('unmerged');
        if (!next) break;
        await shop.gza(['rebase', next.id]);
        merge(shop, next.id, count % 2 === 0 ? 'squash' : 'merge');
      }
      said.push((await shop.work('--all')).stdout);
      const left = await shop.json<{ id: Id }[]>('unmerged');
      for (const id of ids) {
        const isThere = holds(shop, 'main', id);
        const why = await shop.says(`why ${id}`);
        const isTold = left.some((one) => one.id === id) || /waits for|blocked|conflict/.test(why);
        expect({ id, ends: isThere || isTold, why, said }).toEqual({ id, ends: true, why, said });
      }
      expect({ left, said }).toEqual({ left: [], said });
      expect({ joins: shop.git('for-each-ref', 'refs/heads/gza/on'), said }).toEqual({ joins: '', said });
      expect(await shop.says('fsck')).not.toMatch(/problem/i);
    }),
    { numRuns: Number(process.env['GZA_TEST_RUNS'] ?? 3), endOnFailure: true },
  );
});
