import { lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileSizes } from '../backlog/file-sizes.ts';
import { type Breakdown, breakDown, slugOf } from '../core/breakdown.ts';
import { GzaError } from '../core/errors.ts';
import { type Merged, mergeBreakdown } from '../core/merge-breakdown.ts';
import { planSections } from '../core/plan-outline.ts';
import { type Criterion, parseProduct } from '../core/product-criteria.ts';
import { scoreInput } from '../core/score-input.ts';
import { breakdownText } from '../core/text/breakdown.ts';
import type { Command, Invocation, Ports } from './command.ts';
import { findTask } from './find-task.ts';
import { isFixed } from './fixed.ts';
import { knownMilestones } from './known-milestones.ts';
import { open, openProject, type Project } from './project.ts';
import { tellTrackers } from './tell-trackers.ts';

const planBytesMax = 2 << 20;

export const command: Command = {
  spec: {
    name: 'breakdown',
    summary: 'task files from a plan: its tasks, sized right, in their order',
    forPeople: true,
    arguments: [{ name: 'plan', required: true, completes: 'file' }],
    details:
      'Takes a Markdown file or a plan task. Reads a fenced yaml block of tasks, else headings, checklists and "Phase/Step/Task n" lists; joins criteria of PRODUCT.md by name; splits what is too large; writes tasks/<group>.yml. Run again after the plan changed, it updates what has not begun and says what it left alone.',
    options: [
      { name: 'group', type: 'text', value: '<group>', help: 'group and file name; else from the plan' },
      { name: 'product', type: 'text', value: '<file>', help: 'acceptance criteria; else PRODUCT.md' },
      { name: 'dry-run', type: 'flag', help: 'print, write nothing' },
      { name: 'no-split', type: 'flag', help: 'leave large tasks whole' },
    ],
    examples: [
      { command: 'gza breakdown docs/plans/auth.md', shows: 'tasks/auth.yml' },
      { command: 'gza breakdown task-a3f8 --dry-run', shows: 'what the plan of that task comes to' },
    ],
  },
  run: async (invocation, ports) => {
    const project = await openProject(ports);
    const root = project.repository.workTree;
    if (root === null) throw new GzaError('input', 'a bare repository has no files; run it in a clone');
    const plan = await readPlan(project, root, invocation.args[0] as string, ports);
    const group = groupOf(plan, invocation);
    const file = `tasks/${slugOf(group) ?? 'plan'}.yml`;
    const found = await broken(project, root, { ...plan, group, file }, invocation, ports);
    const before = readOptional(join(root, file));
    const merged = merge(project, { ...plan, group, file, before }, found);
    const isDry = invocation.options['dry-run'] === true;
    const isWritten = !isDry && merged.text !== before;
    if (isWritten) await write(root, file, before, merged.text);
    const { text: _, ...did } = merged;
    const json = {
      plan: plan.name,
      file,
      group,
      written: isWritten,
      ...found,
      ...did,
    };
    const told = isWritten ? (await tellTrackers(await open(ports), ports)).lines : [];
    const text = breakdownText({ plan: plan.name, file, isDry, found, merged });
    return { json, text: [text, ...told].join('\n') };
  },
};

interface Plan {
  readonly text: string;
  /** As it is spoken of. */
  readonly name: string;
  /** Path in the repository, when it is a file there. */
  readonly path?: string;
  readonly group?: string | undefined;
}

/** A file wins over a task of the same name. */
async function readPlan(project: Project, root: string, word: string, ports: Ports): Promise<Plan> {
  const path = resolve(ports.cwd, word);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return { text: readFile(path, word), ...placeOf(root, path) };
  if (/[./\\]/.test(word) && !project.board.views.has(word))
    throw new GzaError('input', `there is no file ${word}`, {
      hint: `${ports.program} breakdown docs/plan.md`,
    });
  const view = findTask(project.board, word);
  const located = await project.view.task(view.id);
  const branch = located?.branch ?? project.view.base;
  const text =
    (await project.view.artifact(branch, `plans/${view.id}.md`)) ??
    (await project.view.artifact(project.view.base, `plans/${view.id}.md`));
  if (text) return { text, name: `the plan of ${view.id}`, group: view.task.group ?? view.id };
  const planned = view.task.plan_file;
  if (planned !== undefined && lstatSync(join(root, planned), { throwIfNoEntry: false })?.isFile())
    return {
      text: readFile(join(root, planned), planned),
      name: planned,
      path: planned,
      group: view.task.group,
    };
  throw new GzaError('input', `${view.id} has no plan yet`, {
    hint:
      view.task.type === 'plan' ? `gza work ${view.id} makes one.` : 'Name a plan task, or a Markdown file.',
  });
}

function placeOf(root: string, path: string): Pick<Plan, 'name' | 'path'> {
  const inside = relative(root, path).replaceAll('\\', '/');
  return inside.startsWith('..') ? { name: basename(path) } : { name: inside, path: inside };
}

function readFile(path: string, name: string): string {
  const { size } = lstatSync(path);
  if (size > planBytesMax)
    throw new GzaError('input', `${name} has ${size} bytes; ${planBytesMax} is the limit`);
  return readFileSync(path, 'utf8');
}

function readOptional(path: string): string | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() ? readFileSync(path, 'utf8') : null;
}

/** `docs/plans/auth.md` is about auth; `PLAN.md` is about what its first heading says. */
function groupOf({ name, path, group, text }: Plan, { options }: Invocation): string {
  const given = options['group'] as string | undefined;
  if (given) return given;
  if (group !== undefined) return group;
  const stem = basename(path ?? name).replace(/\.[^.]*$/, '');
  if (!/^(?:plan|readme|todo|tasks|implementation)$/i.test(stem)) return slugOf(stem) ?? 'plan';
  const title = planSections(text).find(({ level }) => level > 0)?.title ?? '';
  return slugOf(title.replace(/^(?:implementation )?plan\b[\s:–—-]*|[\s:–—-]*plan$/gi, '')) ?? 'plan';
}

type Target = Plan & { readonly group: string; readonly file: string };

async function broken(
  project: Project,
  root: string,
  { text, name, path, group, file }: Target,
  { options }: Invocation,
  ports: Ports,
): Promise<Breakdown> {
  const { board, config, backlog } = project;
  const product = options['product'] as string | undefined;
  const criteria = readCriteria(root, product === undefined ? undefined : resolve(ports.cwd, product), path);
  // Every path that the plan names may turn out to be a file of a task.
  const sizes = fileSizes(root, [{ files_to_modify: text.match(/[\w@./-]+\.\w{1,10}/g) ?? [] } as never]);
  const own = new Set(
    (await backlog.read()).tasks.filter((one) => one.file === file).map(({ task }) => task.id),
  );
  const found = breakDown({
    file: name,
    plan: text,
    group,
    criteria,
    taken: (id) => !own.has(id) && board.views.get(id) !== undefined && board.views.get(id)?.file !== file,
    exists: (one) => lstatSync(join(root, one), { throwIfNoEntry: false }) !== undefined,
    score: scoreInput(config, sizes),
    split: options['no-split'] !== true,
  });
  return knownMilestones(found, {
    group,
    file,
    tasks: (await backlog.read()).tasks,
    milestones: project.read.milestones,
  });
}

function readCriteria(root: string, given: string | undefined, plan: string | undefined): Criterion[] {
  const beside = plan === undefined ? [] : [join(root, dirname(plan), 'PRODUCT.md')];
  for (const path of given === undefined ? [...beside, join(root, 'PRODUCT.md')] : [given]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isFile())
      return parseProduct(readFile(path, basename(path)));
  }
  if (given !== undefined) throw new GzaError('input', `there is no file ${given}`);
  return [];
}

function merge(
  { board }: Project,
  { name, path, group, file, before }: Target & { before: string | null },
  found: Breakdown,
): Merged {
  const views = [...board.views.values()];
  return mergeBreakdown({
    file,
    text: before,
    about: [
      `From ${name}, by gza breakdown. Change what you like: what was changed here, or has begun, is left alone when`,
      'it is run again. The marks behind the ids tell what came from the plan.',
    ],
    shared: { group, ...(path === undefined ? {} : { plan_file: path }) },
    tasks: found.tasks,
    milestones: found.milestones,
    hasBegun: (id) => {
      const view = board.views.get(id);
      return view !== undefined && isFixed(view);
    },
    isWanted: (id) => views.some((view) => view.file !== file && view.task.depends_on?.includes(id)),
  });
}

async function write(root: string, file: string, before: string | null, text: string): Promise<void> {
  const { changeTaskFile, writeNewTaskFile } = await import('../lazy.ts');
  if (before === null) return writeNewTaskFile({ root, file }, text);
  changeTaskFile({ root, file }, (now) => {
    if (now !== before) throw new GzaError('lost', `${file} was changed meanwhile; run it again`);
    return text;
  });
}
