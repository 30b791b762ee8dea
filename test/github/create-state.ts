/** The repository that tests begin with. */
import { bot, type Settings, type State, type User } from './state.ts';

/** One repository and five people: olive owns it, walter writes, tina triages, rita reads, nora is nobody. */
export function createState(
  settings: Partial<Settings> = {},
  now = Math.floor(Date.now() / 1000) * 1000,
  owner = 'olive',
): State {
  const people = ['olive', 'walter', 'tina', 'rita', 'nora'];
  const users = Object.fromEntries(
    people.map((login, at): [string, User] => [login, { login, id: 1001 + at, type: 'User' }]),
  );
  return {
    now,
    stepMs: 1000,
    nextId: 5000,
    owner,
    repo: 'demo',
    defaultBranch: 'main',
    settings: {
      private: true,
      actionsMayOpenPulls: true,
      defaultPermissions: 'read',
      allowAutoMerge: false,
      protectedBranches: [],
      bypassLogins: [],
      pushRules: [],
      refsPerPushMax: null,
      privateMembers: [],
      secrets: [],
      organizationSecrets: [],
      repository: {},
      ...settings,
    },
    users: { ...users, [bot.login]: bot },
    roles: { olive: 'admin', walter: 'write', tina: 'triage', rita: 'read', nora: 'none' },
    tokens: {},
    milestones: [],
    labels: [],
    issues: [],
    comments: [],
    reviews: [],
    reviewComments: [],
    reactions: [],
    statuses: [],
    runs: [],
    artifacts: [],
    events: [],
    loseEvents: 0,
    timeline: [],
    pushes: [],
    rate: {},
  };
}
