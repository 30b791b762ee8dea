/** A default branch that was renamed leaves the ledger of its old name behind, which is still read. */
import type { Project } from '../../app/project.ts';
import { trapText } from '../../core/text/doctor/trap-texts.ts';
import type { Ci } from '../jobs/ci.ts';
import { liveBranches } from './lane-world.ts';

export async function sayIfRenamed(ci: Ci, project: Project): Promise<void> {
  const { view } = project;
  for (const from of liveBranches(project)) {
    if (!(await view.meta(from))?.base) continue;
    const { happened, kept, next } = trapText({ kind: 'default-branch-renamed', from, to: view.base });
    ci.say(`${happened} ${kept} What to do: ${next.join('; ')}.`);
  }
}
