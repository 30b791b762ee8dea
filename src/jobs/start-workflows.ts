/**
 * The team's own CI on a branch that was just pushed: a push with a job's token starts nothing, a dispatch does. The
 * landing job says which, the last job of the lane, which alone may, starts them.
 */
import * as z from 'zod';
import { branchNameFault } from '../core/branch-name.ts';
import { GzaError, isGzaError } from '../core/errors.ts';
import { trapText } from '../core/text/trap-texts.ts';
import type { Ci } from './ci.ts';

const startsShape = z.strictObject({
  workflows: z.array(z.string().max(200)).max(5),
  branch: z.string().refine((name) => branchNameFault(name) === null),
});

/** Empty when there is nothing to start. */
export function printStarts(workflows: readonly string[], branch: string): string {
  return workflows.length === 0 ? '' : JSON.stringify({ workflows, branch });
}

/** What cannot be started is said, and keeps nothing else from going on. */
export async function startWorkflows(
  ci: Pick<Ci, 'input' | 'forge' | 'run' | 'say' | 'warn'>,
): Promise<void> {
  const text = ci.input('start');
  if (text === '') return;
  const { workflows, branch } = readStarts(text);
  for (const workflow of workflows) {
    if (workflow === ci.run.workflow) {
      ci.warn(`ci_workflow names ${workflow}, which is the workflow that runs gza. It is not started.`);
      continue;
    }
    try {
      await ci.forge().dispatch(workflow, branch, {});
      ci.say(`${workflow} was started on ${branch}.`);
    } catch (error) {
      if (!isGzaError(error)) throw error;
      const { happened, next } = trapText({ kind: 'ci-not-started', workflow, branch, said: error.message });
      ci.warn(`${happened} ${next.join('; ')}.`);
    }
  }
}

function readStarts(text: string): z.infer<typeof startsShape> {
  try {
    return startsShape.parse(JSON.parse(text));
  } catch (cause) {
    throw new GzaError('usage', 'the input `start` is not what `land` put into its output `start`', {
      cause,
    });
  }
}
