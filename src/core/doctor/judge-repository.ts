/**
 * Whether a repository lets gza work, trap by trap. GitHub tells of most of them only when it is too late: a run
 * that never starts, a 403 at the end of an hour's work.
 */
import { judgeBranches, judgeConfig, judgeToken } from './judge-branches.ts';
import { judgeCaller } from './judge-caller.ts';
import { judgePlace, judgeSettings } from './judge-place.ts';
import { judgeWorkflow } from './judge-workflow.ts';
import type { Judged } from './judged.ts';
import type { RepositorySeen } from './repository-seen.ts';

export function judgeRepository(seen: RepositorySeen): Judged[] {
  return [
    ...judgePlace(seen),
    ...judgeSettings(seen),
    ...judgeWorkflow(seen),
    ...judgeCaller(seen),
    ...judgeBranches(seen),
    ...judgeConfig(seen),
    judgeToken(seen),
  ];
}
