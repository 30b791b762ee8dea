/** What follows from refs that moved, by a push or by the API: push events, and pull requests that follow. */
import { pushPayload } from './webhooks.ts';
import { type By, emit, render, syncPulls, type World } from './world.ts';

export interface Move {
  readonly old: string;
  readonly new: string;
  readonly ref: string;
}

export const zero = '0'.repeat(40);

/** Refs outside heads and tags tell no one. */
export async function recordMoves(world: World, moves: readonly Move[], who: By): Promise<void> {
  const moved = moves.filter((one) => one.old !== one.new);
  for (const one of moved) world.state.pushes.push({ ...one, login: who.login, at: world.state.now });
  for (const one of moved) if (/^refs\/(heads|tags)\//.test(one.ref)) await announce(world, one, who);
  if (moved.length > 0) await syncPulls(world, who);
}

async function announce(world: World, move: Move, who: By): Promise<void> {
  const isGone = move.new === zero;
  const range = move.old === zero ? move.new : `${move.old}..${move.new}`;
  const log = isGone ? [] : await world.data.log(range, 20);
  const commits = log.map(({ sha, message }) => ({ id: sha, message })).reverse();
  const facts = { ref: move.ref, before: move.old, after: move.new, sender: who.login, commits };
  const payload = pushPayload(render(world), facts);
  await emit(world, { name: 'push', payload, by: who, ref: move.ref, sha: isGone ? '' : move.new });
}
