/**
 * Files that an agent may ask for during a step: its prompt is bounded, and it has no ledger. Beside the spool what
 * `git tasks context` and `git tasks show` print there; in the work tree, ignored by git, whole plans and reviews.
 */
import { lstat, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { wholeView } from '../../app/tasks/change-task.ts';
import { contextText } from '../../core/text/terminal/outline.ts';
import { showText } from '../../core/text/terminal/show.ts';
import { artifactTexts, dependencyChain, outlineIds, subjectOf } from '../perform/gather-context.ts';
import { stepFiles } from '../perform/step-folder.ts';
import type { Step } from './step.ts';

export async function leaveFiles({ input, clone, spool }: Step): Promise<void> {
  const { project, view } = input;
  const { context, tasks } = stepFiles(spool);
  const chain = await dependencyChain(project, view);
  const ids = new Set([view.id, ...outlineIds(project, view), ...chain.map(({ id }) => id)]);
  await writeFile(context, contextText(project.board, ids, { bytesMax: null }));
  const near = new Set([
    view.id,
    subjectOf(project, view).id,
    ...view.children,
    ...chain.map(({ id }) => id),
  ]);
  const texts: Record<string, string> = {};
  for (const id of near) if (project.board.views.has(id)) texts[id] = showText(await wholeView(project, id));
  await writeFile(tasks, JSON.stringify(texts));
  for (const { path, text } of await artifactTexts(project, view, chain)) {
    const file = join(clone.treeDir, '.gza', path);
    if (await isOwnFolder(clone.treeDir, path)) await writeFile(file, text);
  }
}

/** A link in the work tree must not lead the file elsewhere, and a file that is there is the repository's. */
async function isOwnFolder(treeDir: string, path: string): Promise<boolean> {
  const folders = ['.gza', dirname(join('.gza', path))];
  for (const folder of folders) {
    const found = await lstat(join(treeDir, folder)).catch(() => null);
    if (found && !found.isDirectory()) return false;
    if (!found) await mkdir(join(treeDir, folder));
  }
  return (await lstat(join(treeDir, '.gza', path)).catch(() => null)) === null;
}
