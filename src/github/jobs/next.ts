/** The last job of a lane: picking is asked for again, and the team's own CI is started where that is set. */

import * as z from 'zod';
import { GzaError, isGzaError } from '../../core/errors.ts';
import { branchNameFault } from '../../core/task/branch-name.ts';
import { trapText } from '../../core/text/doctor/trap-texts.ts';
import type { Ci } from './ci.ts';

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

const startsShape = z
  .array(
    z.strictObject({
      workflow: z.string().max(200),
      branch: z.string().refine((name) => branchNameFault(name) === null),
    }),
  )
  .max(1_000);

export type Start = z.infer<typeof startsShape>[number];

/**
 * The team's own CI on a branch that was just pushed: a push with a job's token starts nothing, a dispatch does. The
 * jobs that push say which, in their output `start`; a job that may start workflows, and nothing else, starts them.
 * Empty when there is nothing to start. An App's push starts workflows by itself.
 */
export function printStarts(ci: Pick<Ci, 'input'>, starts: readonly Start[]): string {
  return starts.length === 0 || ci.input('login') !== '' ? '' : JSON.stringify(starts);
}

/** What cannot be started is said, and keeps nothing else from going on. */
export async function startWorkflows(
  ci: Pick<Ci, 'input' | 'forge' | 'run' | 'say' | 'warn'>,
): Promise<void> {
  const text = ci.input('start');
  if (text === '') return;
  for (const { workflow, branch } of readStarts(text)) {
    if (workflow === ci.run.workflow) {
      ci.warn(`ci_workflow names ${workflow}, which is the workflow that runs gza. It is not started.`);
      continue;
    }
    try {
      await ci.forge().dispatch(workflow, branch);
      ci.say(`${workflow} was started on ${branch}.`);
    } catch (error) {
      if (!isGzaError(error)) throw error;
      const { happened, next } = trapText({ kind: 'ci-not-started', workflow, branch, said: error.message });
      ci.warn(`${happened} ${next.join('; ')}.`);
    }
  }
}

function readStarts(text: string): Start[] {
  try {
    return startsShape.parse(JSON.parse(text));
  } catch (cause) {
    throw new GzaError(
      'usage',
      'the input `start` is not what `pick` or `land` put into its output `start`',
      {
        cause,
      },
    );
  }
}
