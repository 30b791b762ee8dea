/** The last job of a lane: picking is asked for again. It may start workflows, and nothing else. */
import type { Ci } from './ci.ts';
import { startWorkflows } from './start-workflows.ts';

export async function nextJob(ci: Ci): Promise<void> {
  const claim = ci.input('claim');
  // The run itself still goes on, so the claim would pass for alive if this lane's jobs left it behind.
  const event = JSON.stringify({ ended: claim === '' ? [] : [claim] });
  const id = await ci.forge().dispatch(ci.run.workflow, ci.defaultBranch, { event });
  ci.say(`Picking was asked for again${id === null ? '' : ` (run ${id})`}.`);
  await startWorkflows(ci);
}
