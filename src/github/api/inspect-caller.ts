/** The way from a repository to gza, as GitHub tells of it: what its workflow calls, and the names of its secrets. */
import type { CalledSeen } from '../../core/doctor/repository-seen.ts';
import { workflowTraits } from '../../core/doctor/workflow-traits.ts';
import type { Asked } from './client.ts';
import type { Operation } from './operations.ts';

/** Null for what is not there and for what the token may not read. */
export type Look = <T>(asked: Asked) => Promise<T | null>;

/** Names only: what a secret holds is told to nobody. An organisation may share its own. */
export async function readSecretNames(look: Look): Promise<string[] | null> {
  const operation: Operation = 'read the names of secrets';
  const query = { per_page: 100 };
  const own = await look<SecretsJson>({ operation, path: 'actions/secrets', query });
  const shared = await look<SecretsJson>({ operation, path: 'actions/organization-secrets', query });
  const names = [...(own?.secrets ?? []), ...(shared?.secrets ?? [])].map(({ name }) => name);
  return own ? names : null;
}

interface SecretsJson {
  readonly secrets?: readonly { readonly name: string }[];
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
  const root = `/repos/${name}`;
  const it = await look<{ readonly private?: boolean }>({ operation: 'read the repository', path: root });
  if (!it) return seen('repository');
  const file = /\.ya?ml$/.test(path) ? path : [path, 'action.yml'].filter(Boolean).join('/');
  const text = await readText(look, file, { root, ref });
  if (text === null) {
    const commit = await look({ operation: 'read files', path: `${root}/commits/${encoded(ref)}` });
    return seen(commit ? 'file' : 'ref');
  }
  const isElsewhere = name.toLowerCase() !== repository.toLowerCase();
  return seen(it.private && isElsewhere ? 'private' : 'ready', workflowTraits(file, text).hasBareSelf);
}

export async function readText(
  look: Look,
  path: string,
  { root, ref }: { readonly root?: string; readonly ref?: string } = {},
): Promise<string | null> {
  const file = await look<{ readonly content?: string; readonly encoding?: string }>({
    operation: 'read files',
    path: `${root === undefined ? '' : `${root}/`}contents/${encoded(path)}`,
    ...(ref === undefined ? {} : { query: { ref } }),
  });
  return file?.encoding === 'base64' ? Buffer.from(file.content ?? '', 'base64').toString('utf8') : null;
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
