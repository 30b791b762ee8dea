import { linearIssue } from '../../core/board/board.ts';
import { GzaError } from '../../core/errors.ts';
import type { IssueState, Wanted } from '../../core/trackers/tracker.ts';
import type { Tracker } from '../tracker.ts';
import { applyActions } from './apply.ts';
import type { LinearClient } from './client.ts';
import { type LinearNames, type LinearTeam, readHeld, readTeam } from './read.ts';

export interface LinearSettings {
  /** Key, name or id of the team. */
  readonly team: string;
  /** Its name, for milestones; null puts them into labels. */
  readonly project: string | null;
  readonly createProject: boolean;
  readonly states: Readonly<Partial<Record<IssueState, string>>>;
  /** What all ids are made from: the same in every clone. */
  readonly repository: string;
}

export function linearTracker(client: LinearClient, settings: LinearSettings): Tracker {
  let team: LinearTeam | null = null;
  let names: LinearNames | null = null;
  return {
    name: 'Linear',
    traits: {
      milestones: settings.project !== null,
      relations: true,
      links: true,
      project: settings.project,
      labels: [],
      known: linearIssue,
    },
    async read(wanted: Wanted) {
      return understood(async () => {
        team ??= await readTeam(client, settings);
        const read = await readHeld(client, settings, team, wanted);
        names = read.names;
        return read.held;
      });
    },
    async apply(actions) {
      if (names === null) throw new Error('a tracker is read before it is written');
      return applyActions(client, settings.repository, names, actions);
    },
  };
}

/** An answer of another form than the schema promises is a failure of Linear's, not one of ours. */
export async function understood<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new GzaError('world', 'Linear answers in a form that is not known', { cause });
  }
}
