/**
 * Commits a plan that people should read as a file, with its task file if a breakdown is wanted, to the
 * plan's lane. Agents may never write task files. This one is generated from the plan's text by the code of
 * `gza breakdown`, and has no effect until a person merges it.
 */

import type { Project } from '../../app/project.ts';
import { breakPlan, planBytesMax } from '../../app/tasks/break-plan.ts';
import type { TaskView } from '../../core/board/board.ts';
import { isGzaError } from '../../core/errors.ts';
import { findSecrets, namedSecret } from '../../core/guard/secrets.ts';
import { commitMessage } from '../../core/markdown/neutralise.ts';
import { breakdownText } from '../../core/text/terminal/breakdown.ts';
import { gzaIdentity } from '../../git/git.ts';
import type { Repository } from '../../git/repository.ts';
import { commitFiles, type FileToCommit, filesAt } from '../../workspace/patch/commit-files.ts';
import { diffId } from '../../workspace/patch/lane-diff.ts';
import type { Lane } from '../engine.ts';

export interface PlanToFile {
  readonly project: Project;
  readonly view: TaskView;
  readonly lane: Lane;
  readonly repository: Repository;
  readonly text: string;
  readonly date: Date;
}

export type FiledPlan =
  | {
      readonly kind: 'filed';
      /** Null when the branch already has these files. */
      readonly commit: string | null;
      readonly diff: string;
      /** A summary of the breakdown; empty when none was wanted. */
      readonly said: string;
      /** Why the breakdown failed; the plan itself is filed. */
      readonly unbroken: string | null;
    }
  /** It may not, or cannot, be written to the repository. */
  | { readonly kind: 'refused'; readonly why: string }
  /** Another job must do it. */
  | { readonly kind: 'later' };

function planPath(id: string): string {
  return `plans/${id}.md`;
}

export async function filePlan(input: PlanToFile): Promise<FiledPlan> {
  const { project, view, lane, repository, date } = input;
  const text = input.text.endsWith('\n') ? input.text : `${input.text}\n`;
  if (Buffer.byteLength(text) > planBytesMax)
    return { kind: 'refused', why: `a plan may have ${planBytesMax} bytes` };
  const plan = { path: planPath(view.id), text };
  const broken = project.settings(view.task).breakdown ? await tasksOf(input, plan) : null;
  const files = [plan, ...(broken?.file ? [broken.file] : [])];
  const why = files.map(secretIn).find((one) => one !== null);
  if (why) return { kind: 'refused', why };
  const message = commitMessage({
    purpose: { kind: 'step' },
    title: view.task.title,
    taskId: view.id,
    summary: broken?.said ?? '',
  });
  const onto = { onto: lane.head, message, author: gzaIdentity, date };
  const made = await commitFiles(repository, files, onto);
  if (made.kind === 'blocked') return { kind: 'refused', why: made.why };
  const { commit } = made;
  const diff = await diffId(repository, { base: lane.compareWith, head: commit ?? lane.head });
  return { kind: 'filed', commit, diff, said: broken?.said ?? '', unbroken: broken?.why ?? null };
}

interface Broken {
  readonly file: FileToCommit | null;
  /** A summary for the commit message. */
  readonly said: string;
  readonly why: string | null;
}

async function tasksOf({ project, view, lane, repository }: PlanToFile, plan: FileToCommit): Promise<Broken> {
  try {
    const files = await filesAt(repository, lane.head, planBytesMax);
    const group = view.task.group ?? view.id;
    const named = { text: plan.text, name: plan.path, path: plan.path, group };
    const { file, found, merged } = await breakPlan(project, named, files, { split: true });
    const said = breakdownText({ plan: plan.path, file, isDry: false, found, merged });
    return { file: { path: file, text: merged.text }, said, why: null };
  } catch (error) {
    if (!isGzaError(error) || error.code !== 'input') throw error;
    return { file: null, said: '', why: `${error.message}${error.hint ? ` ${error.hint}` : ''}` };
  }
}

function secretIn({ path, text }: FileToCommit): string | null {
  const [secret] = findSecrets(text);
  return secret ? `${path}: line ${secret.line} looks like ${namedSecret(secret)}` : null;
}
