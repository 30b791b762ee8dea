/** `--push`: the branches of this run and the ledgers, to the remote. */
import { isGzaError } from '../core/errors.ts';
import { syncText } from '../core/text/sync.ts';
import type { WorkResult } from '../engine/loop.ts';
import { syncLedgers } from '../ledger/sync.ts';
import type { Ports } from './command.ts';

export async function pushWork(
  { project, tasks }: WorkResult,
  ports: Ports,
  remote = 'origin',
): Promise<string[]> {
  const branches = new Set(tasks.flatMap((id) => project.board.views.get(id)?.record?.lane?.branch ?? []));
  const lines: string[] = [];
  for (const branch of branches) {
    const result = await project.repository.git.run([
      'push',
      '--porcelain',
      '--no-verify',
      remote,
      `refs/heads/${branch}:refs/heads/${branch}`,
    ]);
    const why = result.stderr.trim().split('\n').at(-1) ?? '';
    lines.push(
      result.code === 0 ? `✓ pushed ${branch}` : `✗ ${branch} was not pushed: ${why} (it is kept here)`,
    );
  }
  try {
    const synced = await syncLedgers(project.ledger, { remote, push: true });
    lines.push(syncText(remote, synced));
  } catch (error) {
    if (!isGzaError(error)) throw error;
    ports.progress(`warning: the state was not shared: ${error.message}`);
  }
  return lines;
}
