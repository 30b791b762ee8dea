import { basename, dirname } from 'node:path';
import type { Repository } from '../../git/open-repository.ts';

/** `host/owner/name` of where it is shared, the same in every clone; the folder's name where it is not shared. */
export async function repositoryName({ git, commonDir, workTree }: Repository): Promise<string> {
  const url = await git.run(['remote', 'get-url', 'origin']);
  const text = url.code === 0 ? url.stdout.toString('utf8').trim() : '';
  const address = text
    .replace(/^[a-z+]+:\/\//i, '')
    .replace(/^[^@/]*@/, '')
    .replace(/^([^/:]+):(?:\d+\/|\/*)/, '$1/')
    .replace(/(?<!\/)\/+$/, '')
    .replace(/\.git$/, '')
    .toLowerCase();
  return address || basename(workTree ?? dirname(commonDir));
}
