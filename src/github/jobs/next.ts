/** The last job of a lane: picking is asked for again, and the team's own CI is started where that is set. */
import { GzaError, isGzaError } from '../../core/errors.ts';
import { trapText } from '../../core/text/doctor/trap-texts.ts';
import type { Ci } from './ci.ts';
import { startWorkflows } from './start-workflows.ts';

type NextCi = Pick<Ci, 'input' | 'forge' | 'run' | 'say' | 'warn'>;

export async function nextJob(ci: NextCi): Promise<void> {
  const refused = await pickAgain(ci);
  await startWorkflows(ci);
  if (refused) throw refused;
}

/** What failed, for after the rest is done. */
async function pickAgain(ci: NextCi): Promise<GzaError | null> {
  const claim = ci.input('claim');
  // The run itself still goes on, so the claim would pass for alive if this lane's jobs left it behind.
  try {
    await ci.forge().wake(claim === '' ? [] : [claim]);
    ci.say('Picking was asked for again.');
    return null;
  } catch (cause) {
    if (!isGzaError(cause)) throw cause;
    const { status } = cause.data;
    if (typeof status !== 'number' || status >= 500) return cause;
    const { happened, kept, next } = trapText({ kind: 'dispatch-refused', said: cause.message });
    return new GzaError('world', `${happened} ${kept}`, { hint: `${next.join('; ')}.`, cause });
  }
}
