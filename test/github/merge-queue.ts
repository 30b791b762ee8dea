/**
 * A merge queue: the merge is made on a branch of its own, checked there (`merge_group`), and the base moves on to it.
 * All of that is the queue's bot; whoever put the pull request into the queue is not seen.
 */
import { mergeCommits } from './merge-commits.ts';
import { recordMoves, zero } from './record-moves.ts';
import { findPull, type User } from './state.ts';
import { mergeGroupPayload } from './webhooks.ts';
import { emit, markMerged, render, type World } from './world.ts';

const queue: User = { login: 'github-merge-queue[bot]', id: 118344674, type: 'Bot' };

export async function mergeByQueue(world: World, number: number): Promise<void> {
  const { data, state } = world;
  const pull = findPull(state, number);
  if (!pull || pull.state === 'closed' || pull.pull.draft) throw new Error(`#${number} cannot be queued`);
  state.users[queue.login] = queue;
  const { base, head } = pull.pull;
  const baseSha = (await data.commit(`refs/heads/${base}`)) ?? '';
  const message = `Merge pull request #${number} from ${state.owner}/${head.ref}`;
  const wanted = { base: baseSha, head: head.sha, method: 'merge', by: queue.login, message };
  const sha = await mergeCommits(data, wanted);
  if (!sha) throw new Error(`#${number} conflicts with ${base}`);
  const by = { login: queue.login, kind: 'app' as const };
  const ref = `refs/heads/gh-readonly-queue/${base}/pr-${number}-${baseSha}`;
  const move = async (name: string, old: string, to: string) => {
    await data.git.text(['update-ref', name, to, old]);
    return { ref: name, old, new: to };
  };
  await recordMoves(world, [await move(ref, zero, sha)], by);
  const payload = mergeGroupPayload(render(world), { ref, sha, base: `refs/heads/${base}`, baseSha });
  await emit(world, { name: 'merge_group', payload, by, ref, sha });
  const landed = await move(`refs/heads/${base}`, baseSha, sha);
  await markMerged(world, pull, sha, by);
  await recordMoves(world, [landed, await move(ref, sha, zero)], by);
}
