/** `gza review` and `gza improve`: a task of that type on another's work, filed and run at once. */

import type { Invocation, Outcome, Ports } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import { refusalError, stampOf } from '../../app/tasks/change-task.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { freeId } from '../../app/tasks/new-id.ts';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import { titleOf } from '../../core/task/title.ts';
import { foldMerged } from '../../engine/loop/sweep.ts';
import { subjectOf } from '../../engine/perform/gather-context.ts';
import { openToWork, openWork } from '../../engine/work-ports.ts';
import { runChoice } from '../agent-options.ts';
import { runWork, workOutcome } from './work.ts';

export async function followUp(
  kind: 'review' | 'improve',
  invocation: Invocation,
  ports: Ports,
): Promise<Outcome> {
  const { args, options } = invocation;
  const opened = await openToWork(ports);
  // What a person merged since has no work of its own left to look at.
  await foldMerged(await loadProject(ports, opened), await openWork(opened), ports);
  const project = await loadProject(ports, opened);
  const subject = subjectOf(project, findTask(project.board, args[0] as string));
  const lane = subject.record?.lane;
  if (!lane || lane.folded_at) {
    throw new GzaError('blocked', `${subject.id} has no open branch, so there is nothing to ${kind}`, {
      hint: lane ? 'Its branch was merged or closed.' : `gza work ${subject.id} makes one.`,
    });
  }
  if (subject.status !== 'completed') {
    throw new GzaError('blocked', `${subject.id} is ${subject.status}: its own loop is not over`, {
      hint: `gza work ${subject.id} goes on with it; afterwards it can be ${kind === 'review' ? 'reviewed' : 'improved'} by hand.`,
    });
  }
  const guidance = args.slice(1).join(' ');
  const stamp = stampOf(ports);
  const fields = { group: subject.task.group, milestone: subject.task.milestone };
  const ids: string[] = [];
  const written = await project.ledger.write(async (view) => {
    ids.length = 0;
    const events: Event[] = [];
    const file = async (type: 'review' | 'improve', after: readonly string[], content: string) => {
      const id = await freeId(view, `${type} ${subject.id} ${stamp.at} ${ids.length} ${ports.random()}`);
      const task: TaskRecord = {
        id,
        type,
        title: titleOf(`${type === 'review' ? 'Review' : 'Improve'} ${subject.task.title}`),
        content,
        depends_on: [...after],
        ...Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
        created_at: stamp.at,
        ...(stamp.by ? { created_by: stamp.by } : {}),
      };
      events.push({ kind: 'add', ...stamp, task });
      ids.push(id);
    };
    const about = `${subject.id}: ${subject.task.title}`;
    await file(
      kind,
      [subject.id],
      guidance || `${kind === 'review' ? 'Review' : 'Address the last review of'} ${about}`,
    );
    if (kind === 'improve' && options['review'])
      await file('review', [subject.id, ids[0] as string], `Review ${about}`);
    return { changes: [{ branch: view.base, events }] };
  });
  if (written.kind === 'refused') throw refusalError(written);
  const request = {
    scope: ids,
    choice: runChoice(invocation),
    offline: options['offline'] === true,
    push: opened.config.push,
  };
  const result = await runWork(opened, request, ports, options['json'] === true);
  return workOutcome(result, ports);
}
