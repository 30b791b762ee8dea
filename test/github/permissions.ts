/** Who may do what: the permissions of a job's token, or the role of a person. */
import { effectiveRole, type Permissions, type Role, type State, type Token } from './state.ts';

const rank = { none: 0, read: 1, write: 2 } as const;

/** Every permission a workflow can name. There is no `workflows` and no `administration` among them. */
const jobPermissions = [
  'actions',
  'attestations',
  'checks',
  'contents',
  'deployments',
  'discussions',
  'id_token',
  'issues',
  'models',
  'packages',
  'pages',
  'pull_requests',
  'security_events',
  'statuses',
] as const;

function ofRole(role: Role): Permissions {
  const all = (level: 'read' | 'write'): Permissions =>
    Object.fromEntries(jobPermissions.map((name) => [name, level]));
  switch (role) {
    case 'admin':
      return { ...all('write'), administration: 'write', workflows: 'write' };
    case 'maintain':
    case 'write':
      return { ...all('write'), workflows: 'write' };
    case 'triage':
    case 'read':
      return { ...all('read'), issues: 'write', pull_requests: 'write' };
    case 'none':
      return {};
  }
}

function permissionsOf(state: State, token: Token): Permissions {
  return token.kind === 'user'
    ? { ...ofRole(effectiveRole(state, token.login)), user: 'read' }
    : token.permissions;
}

/** `needs` are alternatives, `issues:write` and the like. */
export function isAllowed(state: State, token: Token, needs: readonly string[]): boolean {
  if (needs.length === 0) return true;
  const has = permissionsOf(state, token);
  return needs.some((need) => {
    const [name = '', level = 'read'] = need.split(':');
    return rank[has[name] ?? 'none'] >= rank[level as 'read' | 'write'];
  });
}

/** `permissions:` of a workflow or job, as the token gets them. Naming one sets the others to none. */
export function parsePermissions(value: unknown, fallback: Permissions): Permissions {
  if (value === undefined) return fallback;
  if (value === 'read-all' || value === 'write-all') {
    const level = value === 'read-all' ? 'read' : 'write';
    return Object.fromEntries(jobPermissions.map((name) => [name, level]));
  }
  const named = Object.entries((value ?? {}) as Record<string, 'read' | 'write' | 'none'>);
  return Object.fromEntries(named.map(([name, level]) => [name.replaceAll('-', '_'), level]));
}

export function defaultPermissions(setting: 'read' | 'write'): Permissions {
  if (setting === 'read') return { contents: 'read', packages: 'read' };
  return Object.fromEntries(
    jobPermissions.filter((name) => name !== 'id_token').map((name) => [name, 'write']),
  );
}

/** What is asked for beyond what is given: a callable workflow may not. */
export function excess(asked: Permissions, given: Permissions): string[] {
  return Object.entries(asked)
    .filter(([name, level]) => rank[level] > rank[given[name] ?? 'none'])
    .map(([name, level]) => `${name}: ${level}`);
}
