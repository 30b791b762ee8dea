import { markedProcesses } from './marked-processes.ts';

const roundsMax = 40;
const roundMs = 25;

/** Ends what a run left behind whose own runner is gone. Gives the number of processes that were still there. */
export async function endMarked(mark: string): Promise<number> {
  const sessions = new Set<number>();
  let found = 0;
  for (let round = 0; round < roundsMax; round += 1) {
    const processes = await markedProcesses(mark, sessions);
    if (processes.length === 0) return found;
    found = Math.max(found, processes.length);
    for (const { pid } of processes) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // gone already
      }
    }
    await new Promise((resolve) => setTimeout(resolve, roundMs));
  }
  return found;
}
