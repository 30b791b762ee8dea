/** `gza review` and `gza improve`: a task of that type on another's work, filed and run at once. */
import type { Command, Invocation, Outcome, Ports } from '../../app/command.ts';
import { loadProject } from '../../app/project.ts';
import {
  findTask,
  freeId,
  pauseAll,
  refusalError,
  stampOf,
  writeToTask,
} from '../../app/tasks/change-task.ts';
import { GzaError } from '../../core/errors.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { TaskRecord } from '../../core/ledger/record/record.ts';
import { titleOf } from '../../core/task/task.ts';
import { foldMerged } from '../../engine/loop/sweep.ts';
import { openToWork, openWork } from '../../engine/loop/work-run.ts';
import { reviewsSoFar, subjectOf } from '../../engine/perform/gather-context.ts';
import { agentOptions, runChoice } from '../agent-options.ts';
import { oneNamed } from '../steer/steer.ts';
import { requestOf, runWork, workOutcome } from './work.ts';

async function followUp(kind: 'review' | 'improve', invocation: Invocation, ports: Ports): Promise<Outcome> {
  const { args, options } = invocation;
  const opened = await openToWork(ports);
  // Records merges by people first: a merged task has no open work to review.
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
  const guidance = args.slice(1).join(' ').trim();
  if (kind === 'improve' && guidance === '' && reviewsSoFar(project, subject) === 0) {
    throw new GzaError('input', `${subject.id} was never reviewed, so there is nothing to improve by`, {
      hint: `Say what to change:    gza improve ${subject.id} "keep the old route"\nOr have it reviewed:   gza review ${subject.id}`,
    });
  }
  const ofReview = typeof options['review'] === 'number' ? options['review'] : undefined;
  if (ofReview !== undefined) checkReview(subject.id, ofReview, reviewsSoFar(project, subject));
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
        ...(type === 'improve' && ofReview !== undefined ? { of_review: ofReview } : {}),
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
      guidance ||
        `${kind === 'review' ? 'Review' : `Address ${ofReview ? `review ${ofReview}` : 'the last review'} of`} ${about}`,
    );
    if (kind === 'improve' && options['review'] === true)
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

function checkReview(id: string, asked: number, count: number): void {
  if (Number.isInteger(asked) && asked >= 1 && asked <= count) return;
  const known = ['none', 'one'][count] ?? `1 to ${count}`;
  throw new GzaError('input', `there is no review ${asked} of ${id}: it has ${known}`, {
    hint: `gza improve ${id} --review ${count} takes the last one, as gza improve ${id} does.`,
  });
}

export const review: Command = {
  spec: {
    name: 'review',
    summary: 'have the work of a task reviewed now',
    forPeople: true,
    arguments: [
      { name: 'id', required: true, completes: 'id' },
      { name: 'guidance', many: true },
    ],
    options: [{ name: 'offline', type: 'flag', help: 'claim here only' }, ...agentOptions],
    examples: [{ command: 'gza review task-a3f8 --codex', shows: 'a fresh review, by Codex' }],
  },
  run: (invocation, ports) => followUp('review', invocation, ports),
};

export const improve: Command = {
  spec: {
    name: 'improve',
    summary: 'have the last review of a task addressed, with your guidance',
    forPeople: true,
    arguments: [
      { name: 'id', required: true, completes: 'id' },
      { name: 'guidance', many: true },
    ],
    options: [
      {
        name: 'review',
        type: 'flag',
        orNumber: true,
        value: '[<n>]',
        help: 'review it afterwards; with a number: address that review of the task, not the last',
      },
      { name: 'offline', type: 'flag', help: 'claim here only' },
      ...agentOptions,
    ],
    examples: [
      { command: 'gza improve task-a3f8 --review "keep the old route"', shows: 'improves, then reviews' },
      { command: 'gza improve task-a3f8 --review 2', shows: 'addresses review 2 of the task' },
    ],
  },
  run: (invocation, ports) => followUp('improve', invocation, ports),
};

/** A step without an agent: checks what is on the branch, records it, and continues by the rules. */
export const verify: Command = {
  spec: {
    name: 'verify',
    summary: 'check the branch of a task as it stands, with what a person put there; no agent runs',
    forPeople: true,
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [{ name: 'offline', type: 'flag', help: 'claim here only' }],
    details:
      'What passes is completed, or waits for the review that it was to have. Only what is committed to the branch counts.',
    examples: [{ command: 'gza verify task-a3f8', shows: 'Checks passed; task-a3f8 is completed' }],
  },
  run: async (invocation, ports) => {
    const opened = await openToWork(ports);
    const project = await loadProject(ports, opened);
    const view = findTask(project.board, invocation.args[0] as string);
    const { id, record } = view;
    if (record?.closed_at && record.closed_as !== 'failed')
      throw new GzaError('blocked', `${id} is over (${record.closed_as}), so there is nothing to verify`);
    if (!record?.lane || record.lane.folded_at !== undefined)
      throw new GzaError('blocked', `${id} has no branch to check`, {
        hint: `Work that is elsewhere is closed with: gza done ${id}`,
      });
    await writeToTask(project, id, ports, (_record, stamp) => [
      { kind: record.closed_as === 'failed' ? 'retry' : 'unblock', ...stamp, id },
    ]);
    const request = await requestOf(opened, { ...invocation, args: [id] }, ports);
    const choice = { ...request.choice, checksOnly: true, runner: 'printf done' };
    const asked = { ...request, choice };
    return workOutcome(await runWork(opened, asked, ports, invocation.options['json'] === true), ports);
  },
};

export const resume: Command = {
  spec: {
    name: 'resume',
    summary: 'go on with a task that was stopped, paused or failed, from what it left',
    forPeople: true,
    arguments: [{ name: 'id', completes: 'id' }],
    options: [
      { name: 'all', type: 'flag', help: 'end the pause of everything; starts nothing itself' },
      { name: 'offline', type: 'flag', help: 'claim here only' },
      ...agentOptions,
    ],
    examples: [{ command: 'gza resume task-a3f8', shows: 'the failed phase, from its last commit' }],
  },
  run: async (invocation, ports) => {
    const opened = await openToWork(ports);
    if (invocation.options['all']) {
      await pauseAll(opened, null, ports.now());
      return { json: { paused_by: null }, text: 'nothing holds everything back any more; gza work goes on' };
    }
    const project = await loadProject(ports, opened);
    const view = findTask(project.board, oneNamed(invocation, 'resume').args[0] as string);
    const { record } = view;
    if (record?.closed_at && record.closed_as !== 'failed') {
      throw new GzaError('input', `${view.id} is over (${record.closed_as}), so there is nothing to resume`, {
        hint: `gza improve ${view.id} "what to do" works on it further; gza reopen ${view.id} starts again.`,
      });
    }
    await writeToTask(project, view.id, ports, (_record, stamp) => {
      const isFailed = record?.closed_as === 'failed';
      return [{ kind: isFailed ? 'retry' : 'unblock', ...stamp, id: view.id }];
    });
    const request = await requestOf(opened, { ...invocation, args: [view.id] }, ports);
    const resumed = { ...request, choice: { ...request.choice, resume: true } };
    return workOutcome(await runWork(opened, resumed, ports, invocation.options['json'] === true), ports);
  },
};
