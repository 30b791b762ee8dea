/** Work that steps could not commit and left in their clones: shows it and discards it. */
import { stripEscapes } from '../../agents/strip-escapes.ts';
import type { Command, Outcome, Ports } from '../../app/command.ts';
import { loadProject, openProject } from '../../app/project.ts';
import { findTask } from '../../app/tasks/change-task.ts';
import { GzaError } from '../../core/errors.ts';
import { oneLine } from '../../core/markdown/neutralise.ts';
import { whyFailed } from '../../core/system-error.ts';
import { count } from '../../core/text/terminal/lines.ts';
import { openClones } from '../../engine/loop/work-run.ts';
import { isOwnerAlive } from '../../workspace/clone-folder.ts';
import { collectPatch, listChanges } from '../../workspace/patch/collect-patch.ts';
import type { SharedClone } from '../../workspace/shared-clone.ts';
import { dropClone } from '../../workspace/workspace.ts';

interface Kept {
  readonly task: string;
  readonly step: string;
  readonly folder: string;
  readonly files: readonly string[];
  /** Why they could not be listed. */
  readonly unreadable?: string;
}

interface Found extends Kept {
  readonly clone: SharedClone;
}

export const command: Command = {
  spec: {
    name: 'kept',
    summary: 'what steps left that was refused: to look at, or to throw away',
    forPeople: true,
    arguments: [{ name: 'task', completes: 'id' }],
    details:
      'It stays in the clone of its step, and nothing but this removes it. Do not run git in the clone: its configuration is the agent’s. --patch shows the changes without that.',
    options: [
      { name: 'patch', type: 'flag', help: 'print the changes as one patch' },
      { name: 'discard', type: 'flag', help: 'throw it away, for good' },
    ],
    examples: [
      { command: 'gza kept', shows: 'task-a3f8: implement left 2 files in …/task-a3f8.implement…' },
      { command: 'gza kept task-a3f8 --patch', shows: 'what it wanted to change' },
    ],
  },
  run: async ({ args: [task], options }, ports) => {
    if (task === undefined && (options['patch'] || options['discard'])) {
      throw new GzaError('usage', 'whose? Name the task: gza kept <task> --patch', {
        hint: 'gza kept lists what there is.',
      });
    }
    if (options['patch'] && options['discard'])
      throw new GzaError('usage', '--patch shows it and --discard throws it away: give one of them');
    const opened = await openProject(ports);
    const workspace = await openClones(opened);
    const found: Found[] = [];
    for (const clone of await workspace.listClones()) {
      const kept = await keptIn(clone);
      if (kept && (task === undefined || isNamed(kept, task))) found.push(kept);
    }
    // Work may be kept for a deleted task, so the id is checked only when nothing was found.
    if (task !== undefined && found.length === 0) findTask((await loadProject(ports, opened)).board, task);
    if (options['discard']) return discard(found);
    if (options['patch']) return patchOf(found, ports);
    return listed(found);
  },
};

function isNamed({ task }: Kept, word: string): boolean {
  return task === word || task === `task-${word}`;
}

/** Null for a clone that is in use, only read, or whose work is in a commit. */
async function keptIn(clone: SharedClone): Promise<Found | null> {
  const { name, saved, shown, purpose, owner } = clone.record;
  if (purpose === 'review' || saved !== null || shown === null || (await isOwnerAlive(owner))) return null;
  const { files, unreadable } = await filesIn(clone);
  if (files.length === 0 && unreadable === undefined) return null;
  return { ...namedBy(name), folder: clone.dir, files, ...(unreadable ? { unreadable } : {}), clone };
}

function namedBy(name: string): Pick<Kept, 'task' | 'step'> {
  const parts = name.split('.');
  return { task: parts.slice(0, -2).join('.') || name, step: parts.at(-2) ?? '' };
}

/**
 * Files that cannot be listed are reported as such: one bad clone must not hide the others or stay for ever.
 */
async function filesIn(clone: SharedClone): Promise<Pick<Found, 'files' | 'unreadable'>> {
  try {
    const { written, deleted, skipped } = await listChanges(clone);
    const odd = skipped.filter(({ why }) => why !== 'ignored').map(({ path }) => path);
    return { files: [...written, ...deleted, ...odd] };
  } catch (error) {
    return { files: [], unreadable: oneLine(whyFailed(error), 500) };
  }
}

const filesShown = 10;

function listed(found: readonly Found[]): Outcome {
  const json = found.map(({ clone: _clone, ...kept }) => kept);
  if (json.length === 0) return { json, text: 'Nothing is kept: every step’s work is on its branch.' };
  const lines = found.flatMap(({ task, step, folder, files, unreadable }) => [
    `${task}: ${step} left ${unreadable ? 'what cannot be read' : count(files.length, 'file')} in ${folder}`,
    ...(unreadable ? [`  ${unreadable}`] : []),
    ...files.slice(0, filesShown).map((file) => `  ${oneLine(file, 200)}`),
    ...(files.length > filesShown ? [`  and ${files.length - filesShown} more`] : []),
    `  gza kept ${task} --patch shows it, gza kept ${task} --discard throws it away`,
  ]);
  return { json, text: lines.join('\n') };
}

async function patchOf(found: readonly Found[], { columns }: Ports): Promise<Outcome> {
  const patches: string[] = [];
  for (const { clone, folder } of found) {
    const collected = await collectPatch(clone);
    if (collected.kind === 'too-large') {
      throw new GzaError('input', `it is too large for a patch: ${collected.why}`, {
        hint: `Its files are in ${folder}/tree`,
      });
    }
    if (collected.kind === 'patch') patches.push(collected.patch.toString('utf8'));
  }
  const text = patches.join('\n').trimEnd() || 'Nothing is kept of it.';
  // An agent's escape sequences would reach the terminal, so they are removed. A pipe gets the exact text.
  return { json: patches, text: columns === null ? text : stripEscapes(text) };
}

async function discard(found: readonly Found[]): Promise<Outcome> {
  for (const { clone, folder } of found) {
    const gone = await dropClone(clone);
    if (gone.kind === 'kept') throw new GzaError('world', `${folder} could not be removed: ${gone.why}`);
  }
  const json = found.map(({ clone: _clone, ...kept }) => kept);
  const what = ({ files, unreadable }: Found) => (unreadable ? 'all of it' : count(files.length, 'file'));
  const lines = found.map((one) => `${one.task}: ${what(one)} thrown away`);
  return { json, text: lines.join('\n') || 'Nothing is kept of it.' };
}
