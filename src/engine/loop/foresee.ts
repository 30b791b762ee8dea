/**
 * Predicts which open branches will conflict with each other or with the base. Only branches that moved since
 * the last time are compared, and the result is stored. If git fails, the stored result is used.
 */
import type { Project } from '../../app/project.ts';
import { lanesOf } from '../../core/board/lanes.ts';
import { type Clash, clashMark, type Foreseen, readForeseen } from '../../core/ledger/marks.ts';
import { foreseen } from '../../core/system-error.ts';
import { listRefs } from '../../git/refs.ts';
import type { Repository } from '../../git/repository.ts';
import { conflictsBetween } from '../../workspace/branch/join-branches.ts';
import { baseOf } from './lane-of.ts';

/** The most pairs compared at a time. The others wait for the next time. */
const pairsMax = 200;
const filesKept = 20;

/** Returns the known conflicts. They are written when they changed or took long to compute. */
export async function foresee(
  project: Project,
  repository: Repository,
  at: string,
): Promise<readonly Clash[]> {
  const before = readForeseen((await project.view.meta(project.view.base))?.marks ?? {});
  try {
    const { found, asked } = await ask(project, repository, before);
    const isSame = JSON.stringify(found.clashes) === JSON.stringify(before.clashes);
    if (!isSame || asked > 10) {
      const value = Object.keys(found.heads).length > 0 ? JSON.stringify(found) : null;
      await project.ledger.write(async ({ base }) => ({
        changes: [{ branch: base, events: [{ kind: 'mark', at, name: clashMark, value }] }],
      }));
    }
    return found.clashes;
  } catch (error) {
    if (foreseen(error) === null) throw error;
    return before.clashes;
  }
}

async function ask(
  project: Project,
  repository: Repository,
  before: Foreseen,
): Promise<{ readonly found: Foreseen; readonly asked: number }> {
  const base = await baseOf(project, repository);
  const lanes = lanesOf(project.board.views);
  const rows = await listRefs(repository, ['refs/heads']);
  const tips = new Map(rows.map(({ ref, oid }) => [ref.replace('refs/heads/', ''), oid]));
  const heads = new Map([[base.branch, base.commit]]);
  for (const { branch, link } of lanes.open.values()) {
    const head = tips.get(branch);
    if (head !== undefined && head !== link.fork_point) heads.set(branch, head);
  }
  const mayClash = (one: string, other: string) => {
    // A branch that starts at the current base cannot conflict with it.
    const link = lanes.open.get(one === base.branch ? other : one)?.link;
    if (one === base.branch || other === base.branch)
      return !link?.stacked_on && link?.fork_point !== base.commit;
    return !lanes.stack(one).has(other) && !lanes.stack(other).has(one);
  };
  const isKnown = (branch: string) => before.heads[branch] === heads.get(branch);
  const known = [...heads.keys()].filter(isKnown);
  const clashes = before.clashes.filter(({ branches }) =>
    branches.every((one) => heads.has(one) && isKnown(one)),
  );
  let asked = 0;
  for (const branch of [...heads.keys()].filter((one) => !isKnown(one)).sort()) {
    const others = known.filter((one) => mayClash(one, branch));
    if (asked + others.length > pairsMax) break;
    for (const other of others) {
      const files = await conflictsBetween(repository, heads.get(other) ?? '', heads.get(branch) ?? '');
      if (files.length > 0)
        clashes.push({
          branches: other < branch ? [other, branch] : [branch, other],
          files: files.slice(0, filesKept),
        });
    }
    asked += others.length;
    known.push(branch);
  }
  const all = Object.fromEntries(known.sort().map((one) => [one, heads.get(one) ?? '']));
  const order = ({ branches }: Clash) => branches.join(' ');
  const sorted = clashes.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
  return { found: { heads: known.length > 1 ? all : {}, clashes: sorted }, asked };
}
