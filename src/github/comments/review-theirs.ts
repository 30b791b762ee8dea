/** A person's pull request is reviewed, and nothing else: one task of the type review on its branch. */

import type { Project } from '../../app/project.ts';
import { freeId } from '../../app/tasks/file-records.ts';
import type { LaneLink, TaskRecord } from '../../core/ledger/record/record.ts';
import { titleOf } from '../../core/task/title.ts';
import type { PullFacts } from '../api/forge.ts';
import type { Ci } from '../jobs/ci.ts';
import type { SubjectText } from './text-at-command.ts';

/** Of its description; a review that needs more reads the code. */
const bodyCharsMax = 4000;

export async function reviewTheirs(
  ci: Ci,
  { ledger, repository, view }: Project,
  pull: PullFacts,
  { by, guidance, text }: { readonly by: string; readonly guidance: string; readonly text: SubjectText },
): Promise<void> {
  const at = ci.ports.now();
  const named = text.title && `: ${text.title}`;
  const refs = [view.base, pull.branch].map((name) => `refs/heads/${name}`);
  const found = await repository.git.run(['merge-base', ...refs]);
  const fork = found.code === 0 ? { fork_point: found.stdout.toString('utf8').trim() } : {};
  const lane: LaneLink = { id: ci.ports.random(), branch: pull.branch, ...fork };
  const task: Omit<TaskRecord, 'id'> = {
    type: 'review',
    title: titleOf(`Review #${pull.number}${named}`),
    content: [
      `Review pull request #${pull.number}${named}`,
      text.body.slice(0, bodyCharsMax).trim(),
      guidance && `Look at this above all: ${guidance}`,
    ]
      .filter(Boolean)
      .join('\n\n'),
    created_at: at,
    created_by: by,
    key: `pull:${pull.number}:review`,
    lane,
    pull_request: { number: pull.number, url: pull.url, state: pull.state },
  };
  await ledger.write(async (ledgers) => {
    const id = await freeId(ledgers, `${task.key}\n${at}`);
    return {
      changes: [
        { branch: pull.branch, events: [{ kind: 'open-lane', at, by, lane, tasks: [{ ...task, id }] }] },
      ],
    };
  });
}
