/** Claims a task for a while, and gives it back. */

import type { Command, Ports } from '../../app/command.ts';
import { laneBranch } from '../../app/facts/facts.ts';
import { agentName, holderName, loadProject } from '../../app/project.ts';
import { claimEverywhere } from '../../app/share/share.ts';
import { definitionNow, findTask, refusalError, stampOf, taskOutcome } from '../../app/tasks/change-task.ts';
import { parseDuration } from '../../core/arguments/parse-duration.ts';
import type { TaskView } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import { blockedText, shorten } from '../../core/text/terminal/lines.ts';
import { addSeconds, toSecond } from '../../core/time.ts';
import { releaseClaim } from '../../ledger/claim.ts';

export const claim: Command = {
  spec: {
    name: 'claim',
    summary: 'take a task for a while, so that nobody else works on it',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    details: 'When the remote has ledgers, the claim must be accepted there too, unless --offline.',
    options: [
      { name: 'for', type: 'text', value: '<time>', help: 'how long: 90s, 30m, 2h, 1d (default 1h)' },
      { name: 'as', type: 'text', value: '<name>', help: 'holder; else the agent or your git user.name' },
      { name: 'offline', type: 'flag', help: 'claim here only' },
      { name: 'remote', type: 'text', value: '<name>', help: 'the remote to ask (default origin)' },
    ],
    examples: [{ command: 'gza claim task-a3f8 --for 30m', shows: 'task-a3f8: claimed by ann until …' }],
  },
  run: async ({ args, options }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const holder =
      (options['as'] as string | undefined)?.trim() || (await holderName(project.repository, ports));
    const seconds = parseDuration((options['for'] as string | undefined) ?? '1h');
    refuseAlias(holder, ports);
    const mine = view.claim?.holder === holder;
    if (view.claim && !mine) throw heldBy(view.claim, ports);
    refuseClosed(view);
    if (view.status === 'blocked') {
      throw new GzaError('blocked', `Task #${view.id} is ${blockedText(view)}`, {
        hint: `gza why ${view.id}`,
      });
    }
    const at = ports.now();
    const wanted: Claim = {
      id: view.claim?.id ?? ports.random(),
      task: view.id,
      lane: laneBranch(project, view),
      holder,
      at,
      until: addSeconds(at, seconds),
    };
    const adopted = await definitionNow(project, view.id, stampOf(ports), at);
    const also = adopted ? { also: async () => [{ branch: project.view.base, events: [adopted] }] } : {};
    const claimed = await claimEverywhere(project, { claim: wanted, at, ...also }, options, ports);
    if (claimed.kind === 'lost') throw heldBy(claimed.holder, ports);
    if (claimed.kind === 'refused') throw refusalError(claimed);
    return taskOutcome(
      project,
      view.id,
      ports,
      () => `${view.id}: claimed by ${shorten(holder)} until ${toSecond(wanted.until)}`,
    );
  },
};

/**
 * Checked here, because claims are judged by the base ledger, which does not know what was closed in a lane.
 */
function refuseClosed({ id, record }: TaskView): void {
  if (record?.closed_at) throw new GzaError('refused', `${id} is closed (${record.closed_as})`);
}

/** Who holds a task must be reliable, so an agent cannot claim under another name. */
function refuseAlias(holder: string, ports: Ports): void {
  const agent = agentName(ports);
  if (!agent || agent === holder) return;
  throw new GzaError('refused', `an agent claims under its own name: ${agent}, not ${holder}`);
}

export function heldBy(claim: Claim, { program }: Pick<Ports, 'program'>): GzaError {
  return new GzaError('lost', `${claim.task} is held by ${claim.holder} until ${toSecond(claim.until)}`, {
    hint: `${program} agents shows who holds what; ${program} release ${claim.task} takes it back.`,
    data: { holder: claim.holder, until: claim.until },
  });
}

export const release: Command = {
  spec: {
    name: 'release',
    summary: 'give a claimed task back, or take it from who holds it',
    arguments: [{ name: 'id', required: true, completes: 'id' }],
    options: [],
    examples: [{ command: 'gza release task-a3f8', shows: 'task-a3f8: released' }],
  },
  run: async ({ args }, ports) => {
    const project = await loadProject(ports);
    const view = findTask(project.board, args[0] as string);
    const claim = view.claim ?? view.deadClaim;
    const agent = agentName(ports);
    if (claim && agent && claim.holder !== agent) {
      throw new GzaError(
        'refused',
        `${view.id} is held by ${claim.holder}; an agent gives back only its own`,
        {
          data: { holder: claim.holder },
        },
      );
    }
    if (claim) {
      const released = await releaseClaim(project.ledger, {
        claim: claim.id,
        at: ports.now(),
        why: 'released',
      });
      if (released.kind === 'refused' && released.why !== 'not-held') throw refusalError(released);
    }
    const text = claim
      ? `${view.id}: released (was held by ${shorten(claim.holder)})`
      : `${view.id}: nobody holds it`;
    return taskOutcome(project, view.id, ports, () => text);
  },
};
