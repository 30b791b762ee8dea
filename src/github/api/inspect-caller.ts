/** The way from a repository to gza, as GitHub tells of it: what its workflow calls, and the names of its secrets. */
import type { CalledSeen } from '../../core/doctor/repository-seen.ts';
import { workflowTraits } from '../../core/doctor/workflow-traits.ts';
import type { Asked } from './client/client.ts';
import type { Operation } from './client/operations.ts';

/** Null for what is not there and for what the token may not read. */
export type Look = <T>(asked: Asked<T>) => Promise<T | null>;

/** Names only: what a secret holds is told to nobody. An organisation may share its own. */
export async function readSecretNames(look: Look): Promise<string[] | null> {
  const operation: Operation = 'read the names of secrets';
  const own = await look({
    operation,
    send: ({ actions }, here) => actions.listRepoSecrets({ ...here, per_page: 100 }),
  });
  const shared = await look({
    operation,
    send: ({ actions }, here) => actions.listRepoOrganizationSecrets({ ...here, per_page: 100 }),
  });
  const names = [...(own?.secrets ?? []), ...(shared?.secrets ?? [])].map(({ name }) => name);
  return own ? names : null;
}

/** `owner/name@ref` for an action, `owner/name/.github/workflows/x.yml@ref` for a workflow; null for what is local. */
export async function findCalled(
  look: Look,
  uses: string | null,
  repository: string,
): Promise<CalledSeen | null> {
  const [, name = '', path = '', ref = ''] = /^([\w.-]+\/[\w.-]+)(?:\/([^@]+))?@(.+)$/.exec(uses ?? '') ?? [];
  if (name === '' || name.startsWith('.')) return null;
  const seen = (state: CalledSeen['state'], hasBareSelf = false): CalledSeen => ({ state, hasBareSelf });
  const [owner = '', repo = ''] = name.split('/');
  const there = { owner, repo };
  const it = await look({
    operation: 'read the repository',
    send: (rest, here) => rest.repos.get({ ...here, ...there }),
  });
  if (!it) return seen('repository');
  const file = /\.ya?ml$/.test(path) ? path : [path, 'action.yml'].filter(Boolean).join('/');
  const text = await readText(look, file, { ...there, ref });
  if (text === null) {
    const commit = await look({
      operation: 'read files',
      send: (rest, here) => rest.repos.getCommit({ ...here, ...there, ref }),
    });
    return seen(commit ? 'file' : 'ref');
  }
  const isElsewhere = name.toLowerCase() !== repository.toLowerCase();
  return seen(it.private && isElsewhere ? 'private' : 'ready', workflowTraits(file, text).hasBareSelf);
}

export async function readText(
  look: Look,
  path: string,
  there: { readonly owner?: string; readonly repo?: string; readonly ref?: string } = {},
): Promise<string | null> {
  const file = await look({
    operation: 'read files',
    send: (rest, here) => rest.repos.getContent({ ...here, ...there, path }),
  });
  if (!file || !('encoding' in file) || file.encoding !== 'base64') return null;
  return Buffer.from(file.content, 'base64').toString('utf8');
}
