/** The last job of a lane: picking is asked for again. It may start workflows, and nothing else. */
import { GzaError, isGzaError } from '../../core/errors.ts';
import { trapText } from '../../core/text/doctor/trap-texts.ts';
import type { Ci } from './ci.ts';
import { startWorkflows } from './start-workflows.ts';

type NextCi = Pick<Ci, 'input' | 'forge' | 'run' | 'defaultBranch' | 'say' | 'warn'>;

export async function nextJob(ci: NextCi): Promise<void> {
  const refused = await pickAgain(ci);
  await startWorkflows(ci);
  if (refused) throw refused;
}

/** What failed, for after the rest is done. */
async function pickAgain(ci: NextCi): Promise<GzaError | null> {
  const claim = ci.input('claim');
  // The run itself still goes on, so the claim would pass for alive if this lane's jobs left it behind.
  const event = JSON.stringify({ ended: claim === '' ? [] : [claim] });
  try {
    const id = await ci.forge().dispatch(ci.run.workflow, ci.defaultBranch, { event });
    ci.say(`Picking was asked for again${id === null ? '' : ` (run ${id})`}.`);
    return null;
  } catch (cause) {
    if (!isGzaError(cause)) throw cause;
    const { status } = cause.data;
    if (typeof status !== 'number' || status >= 500) return cause;
    const { workflow } = ci.run;
    const { happened, kept, next } = trapText({ kind: 'dispatch-refused', workflow, said: cause.message });
    return new GzaError('world', `${happened} ${kept}`, { hint: `${next.join('; ')}.`, cause });
  }
}
