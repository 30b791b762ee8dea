/**
 * A run over all tasks that has nothing left but what waits for a time (an agent's usage limit, above all) waits for
 * it, up to a bound: who starts it in the evening wants the rest in the morning. Each slice ends in a fresh look.
 */
import type { Decision } from '../../core/policy/decide.ts';
import { addSeconds, parseTime, printDuration } from '../../core/time.ts';
import { isWanted, type Loop } from './loop.ts';

const sliceMs = 60_000;

/** When the first of the tasks may go on that only wait for a time; null when none does. */
export function nextTime(loop: Loop, decisions: readonly Decision[]): string | null {
  const times = decisions.flatMap(({ task, wanted, action }) => {
    const view = loop.project.board.views.get(task);
    const until = wanted && action.kind === 'wait' ? action.until : undefined;
    return until && view && isWanted(loop, view) && !loop.refused.has(task) ? [until] : [];
  });
  return times.toSorted()[0] ?? null;
}

/** Whether it waited; said once for each time that is waited for. */
export async function waitForLimit(loop: Loop): Promise<boolean> {
  const { request, ports, nextAt, project } = loop;
  if (nextAt === null || request.scope !== 'all' || request.noWait || ports.signal.aborted) return false;
  const now = parseTime(ports.now());
  const leftMs = project.config.limit_wait_minutes * 60_000 - loop.waitedMs;
  // The clock of the limit may be a little behind this one.
  const waitMs = Math.max(0, parseTime(addSeconds(nextAt, 1)) - now);
  if (waitMs > leftMs) return false;
  if (loop.waitsFor !== nextAt) {
    loop.waitsFor = nextAt;
    const long = printDuration(Math.ceil(waitMs / 1000));
    ports.say(
      `Nothing can start before ${nextAt}: waiting ${long}. Ctrl-C ends; gza work --all goes on later.`,
    );
  }
  await ports.sleep(Math.min(sliceMs, waitMs), ports.signal);
  // Where the machine slept, more time has passed than was waited.
  loop.waitedMs += Math.max(1000, parseTime(ports.now()) - now);
  return true;
}
