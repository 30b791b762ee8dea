/** What the rules may look at in CI: the ledgers, and what the forge and git say of the lanes in flight. */
import { localFacts } from '../../app/facts/facts.ts';
import type { Project } from '../../app/project.ts';
import type { Claim } from '../../core/ledger/record/record.ts';
import type { Facts, OpenCommand } from '../../core/policy/decide.ts';
import { openCommands } from './asked-steps.ts';
import type { LaneWorld } from './lane-world.ts';

export async function ciFacts(
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
  dead: ReadonlySet<string>,
): Promise<Facts> {
  const facts = await localFacts(project);
  const commands = await openCommands(project);
  return {
    ...facts,
    alive: (claim: Claim) => !dead.has(claim.id),
    command: (view): OpenCommand | null => commands.get(view.id) ?? null,
    lane: (view) => {
      const own = facts.lane(view);
      const link = view.record?.lane;
      const world = link && link.folded_at === undefined ? worlds.get(link.branch) : undefined;
      if (!world) return own;
      const { head, diff, pull, personCommits, gone, branch } = world;
      return {
        ...own,
        branch,
        personCommits,
        gone,
        ...(head === null ? {} : { head }),
        ...(diff === null ? {} : { diff }),
        ...(pull ? { pull: { state: pull.state } } : {}),
      };
    },
  };
}
