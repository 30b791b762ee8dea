/** Shares changes: claims and ledgers, if the remote has ledgers, and the state that trackers show. */

import { setTimeout as sleep } from 'node:timers/promises';
import { isGzaError } from '../../core/errors.ts';
import { trackerSyncLine } from '../../core/text/github/tracker-sync.ts';
import { type Claimed, type ClaimRequest, claimTask } from '../../ledger/claim.ts';
import { fetchLedgers, remoteHasLedgers } from '../../ledger/sync/remote-refs.ts';
import { claimOnRemote, syncLedgers } from '../../ledger/sync/sync.ts';
import { githubTracker } from '../../trackers/github/github-tracker.ts';
import { keyVariable, linearTracker, openLinear } from '../../trackers/linear/linear-tracker.ts';
import type { TrackerSync } from '../../trackers/sync.ts';
import type { Invocation, Ports } from '../command.ts';
import { loadProject, type OpenedProject, type Project, warnJoined } from '../project.ts';
import { findGithub, hasGithubToken, openGithub } from './github-access.ts';
import { keepLinearIds, repositoryName, syncProject } from './sync-tracker.ts';

export async function claimEverywhere(
  project: Pick<Project, 'ledger'>,
  request: ClaimRequest,
  options: Invocation['options'],
  ports: Pick<Ports, 'progress'>,
): Promise<Claimed> {
  const remote = (options['remote'] as string | undefined) ?? 'origin';
  const shared = options['offline'] !== true && (await sharesLedgers(project, remote, ports));
  if (!shared) return claimTask(project.ledger, request);
  return claimOnRemote(project.ledger, request, { remote, tell: warnJoined(project.ledger, ports) });
}

/** A clone that never fetched ledgers asks the remote once, because others may have shared theirs. */
async function sharesLedgers(
  { ledger }: Pick<Project, 'ledger'>,
  remote: string,
  ports: Pick<Ports, 'progress'>,
): Promise<boolean> {
  if (await remoteHasLedgers(ledger.store, remote)) return true;
  if (!(await ledger.store.settings()).remotes.includes(remote)) return false;
  try {
    await fetchLedgers(ledger.store, { remote });
  } catch (error) {
    if (!isGzaError(error)) throw error;
    ports.progress(
      `warning: ${remote} could not be asked for its ledgers, so this claim holds only here (${error.message.split('\n')[0]})`,
    );
    return false;
  }
  return remoteHasLedgers(ledger.store, remote);
}

/** Sends the ledgers to the remote during a run, even without --push, if its claims are made there. */
export function ledgerSharing(
  { ledger }: Pick<Project, 'ledger'>,
  remote: string,
  ports: Pick<Ports, 'progress'>,
): () => Promise<void> {
  // Asked only once, after the first claim, because that may be the first time this clone fetches ledgers.
  let isShared: Promise<boolean> | undefined;
  return async () => {
    isShared ??= remoteHasLedgers(ledger.store, remote);
    if (await isShared) await syncQuietly(ledger, remote, ports);
  };
}

/** An error here is only a warning, because the next sync shares what is missing. */
export async function syncQuietly(
  ledger: Project['ledger'],
  remote: string,
  ports: Pick<Ports, 'progress'>,
): Promise<void> {
  await syncLedgers(ledger, { remote, push: true, tell: warnJoined(ledger, ports) }).catch(
    (error: unknown) => {
      if (!isGzaError(error)) throw error;
      ports.progress(`warning: the state was not shared: ${error.message.split('\n')[0]}`);
    },
  );
}

const pace = { timeoutMs: 8_000, waitMsMax: 10_000, totalMsMax: 60_000 };

/**
 * The result of updating trackers. That happens at the end of other work, takes little time, and never
 * makes that work fail. The next sync makes up for what failed.
 */
interface TrackersUpdated {
  /** One line for each tracker with something to report. */
  readonly lines: readonly string[];
  /** Issue names were written to the ledgers, so these changed. */
  readonly wrote: boolean;
}

/** Does nothing, at no cost, when no tracker is enabled. */
export async function updateTrackers(opened: OpenedProject, ports: Ports): Promise<TrackersUpdated> {
  const { linear, github } = opened.config.integrations;
  const lines: string[] = [];
  let kept = 0;
  // Without a key, the update is left to somebody who has one, such as CI.
  if (linear.enabled && ports.env[keyVariable]) {
    const told = () => tellLinear(opened, ports, (count) => void (kept += count));
    lines.push(...(await tell('Linear', told, ports)));
  }
  if (github.enabled && hasGithubToken(ports.env))
    lines.push(...(await tell('GitHub', () => tellGithub(opened, ports), ports)));
  return { lines, wrote: kept > 0 };
}

async function tell(name: string, sync: () => Promise<TrackerSync>, { progress }: Ports): Promise<string[]> {
  try {
    const told = await sync();
    const line = trackerSyncLine({ ...told, dryRun: false });
    if (told.problem === null) return line === '' ? [] : [line];
    progress(`warning: ${line}`);
  } catch (error) {
    if (!isGzaError(error)) throw error;
    progress(`warning: ${name} was not told: ${error.message}`);
  }
  return [];
}

async function tellLinear(
  opened: OpenedProject,
  ports: Ports,
  kept: (count: number) => void,
): Promise<TrackerSync> {
  const { client, settings } = openLinear({
    config: opened.config.integrations.linear,
    env: ports.env,
    repository: await repositoryName(opened.repository),
    pace: { ...pace, sleep: sleeper(ports), now: Date.now, log: ports.progress },
  });
  const project = await loadProject(ports, opened);
  const sync = await syncProject(project, linearTracker(client, settings), choiceOf(ports));
  kept(await keepLinearIds(project, sync.issues, ports));
  return sync;
}

async function tellGithub(opened: OpenedProject, ports: Ports): Promise<TrackerSync> {
  const project: Project = await loadProject(ports, opened);
  const verb = 'github sync';
  const client = openGithub(await findGithub({ verb }, ports), verb, ports, pace.waitMsMax);
  const choice = choiceOf(ports);
  const { label } = opened.config.integrations.github;
  return syncProject(project, githubTracker({ client, label, isOver: choice.isOver }), choice);
}

function sleeper({ signal }: Ports): (milliseconds: number) => Promise<void> {
  // Ctrl-C ends the sleep early. The caller then sees from `isOver` that it must stop.
  return (milliseconds) => sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

function choiceOf(ports: Ports) {
  const until = Date.now() + pace.totalMsMax;
  return {
    dryRun: false,
    all: false,
    sleep: sleeper(ports),
    isOver: () => ports.signal.aborted || Date.now() > until,
  };
}
