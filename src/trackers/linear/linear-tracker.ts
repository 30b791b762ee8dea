import { linearIssue } from '../../core/board/board.ts';
import type { LinearConfig } from '../../core/config/config.ts';
import { GzaError } from '../../core/errors.ts';
import type { IssueState, Wanted } from '../../core/trackers/tracker.ts';
import type { Tracker } from '../tracker.ts';
import { applyActions } from './apply.ts';
import { type LinearClient, type LinearOptions, linearClient } from './client.ts';
import { type LinearNames, type LinearTeam, readHeld, readTeam } from './read.ts';

export interface LinearSettings {
  /** Key, name or id of the team. */
  readonly team: string;
  /** Name of the project, for milestones. When it is null, labels are used instead. */
  readonly project: string | null;
  readonly createProject: boolean;
  readonly states: Readonly<Partial<Record<IssueState, string>>>;
  /** All ids are derived from this, so it is the same in every clone. */
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
    async apply(actions, outcome) {
      if (names === null) throw new Error('a tracker is read before it is written');
      return applyActions(client, settings.repository, names, actions, outcome);
    },
  };
}

/** An answer that does not match the schema is an error of Linear's, not a bug in gza. */
export async function understood<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new GzaError('world', 'Linear answers in a form that is not known', { cause });
  }
}

type LinearPace = Omit<LinearOptions, 'key' | 'url'>;

export interface OpenedLinear {
  readonly client: LinearClient;
  readonly settings: LinearSettings;
}

interface Asked {
  readonly config: LinearConfig;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly repository: string;
  readonly pace: LinearPace;
}

export const keyVariable = 'LINEAR_API_KEY';

export function openLinear({ config, env, repository, pace }: Asked): OpenedLinear {
  if (!config.enabled)
    throw new GzaError('input', 'Linear is not switched on for this repository', {
      hint: 'In gza.yaml:\n  integrations:\n    linear: { enabled: true, team_id: ENG, create_project: true }',
    });
  if (!config.team_id)
    throw new GzaError('input', 'integrations.linear.team_id is missing in gza.yaml', {
      hint: 'It is the key before the number of an issue: ENG of ENG-12.',
    });
  const key = env[keyVariable]?.trim() ?? '';
  if (key === '')
    throw new GzaError('input', `there is no key for Linear: ${keyVariable} is not set`, {
      hint: 'Make one in Linear (Settings, Security & access) and put it into the environment, never into a file.',
    });
  if (!/^[\x21-\x7e]{8,500}$/.test(key))
    throw new GzaError('input', `${keyVariable} holds something that is no key`);
  const name = repository.split('/').at(-1) ?? repository;
  return {
    client: linearClient({ ...pace, key, url: addressIn(env) }),
    settings: {
      team: config.team_id,
      project: config.project ?? (config.create_project ? name : null),
      createProject: config.create_project ?? false,
      states: config.states ?? {},
      repository,
    },
  };
}

/** Tests and proxies may use another address. The key is never sent unencrypted to another machine. */
function addressIn(env: Asked['env']): string {
  const given = env['LINEAR_API_URL'];
  if (!given) return 'https://api.linear.app/graphql';
  const url = URL.canParse(given) ? new URL(given) : null;
  const isHere = url?.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || isHere) return given;
  throw new GzaError('input', 'LINEAR_API_URL must be an https address');
}
