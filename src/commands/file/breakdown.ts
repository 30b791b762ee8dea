import { lstatSync, readFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import type { Command, Invocation, Ports } from '../../app/command.ts';
import { loadProject, openProject, type Project } from '../../app/project.ts';
import { updateTrackers } from '../../app/share/share.ts';
import { breakPlan, type Files, type Plan, refuseLarge, taskFiles } from '../../app/tasks/break-plan.ts';
import { findTask } from '../../app/tasks/change-task.ts';
import { writtenText } from '../../app/tasks/written-text.ts';
import { fileSizes } from '../../backlog/backlog.ts';
import { GzaError } from '../../core/errors.ts';
import { whyUnsafePath } from '../../core/guard/paths.ts';
import { slugOf } from '../../core/plan/breakdown.ts';
import { planSections } from '../../core/plan/plan-outline.ts';
import { type Criterion, parseProduct } from '../../core/plan/product-criteria.ts';
import { breakdownText } from '../../core/text/terminal/breakdown.ts';

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
    const project = await loadProject(ports);
    const root = project.repository.workTree;
    if (root === null) throw new GzaError('input', 'a bare repository has no files; run it in a clone');
    const { options } = invocation;
    const named = await readPlan(project, root, invocation.args[0] as string, ports);
    const plan = {
      ...named,
      group: (await groupBefore(project, named, invocation)) ?? groupOf(named, invocation),
    };
    const { file, before, found, merged } = await breakPlan(project, plan, filesBelow(root), {
      split: options['no-split'] !== true,
      criteria: givenCriteria(options['product'] as string | undefined, ports),
    });
    const isDry = options['dry-run'] === true;
    const written = !isDry && merged.text !== before;
    if (written) await write(root, file, before, merged.text);
    const { text: _, ...did } = merged;
    const json = { plan: plan.name, file, group: plan.group, written, ...found, ...did };
    const told = written ? (await updateTrackers(await openProject(ports), ports)).lines : [];
    const text = breakdownText({ plan: plan.name, file, isDry, found, merged });
    return { json, text: [text, ...told].join('\n') };
  },
};

type NamedPlan = Omit<Plan, 'group'> & { readonly group?: string | undefined };

/** A file takes precedence over a task of the same name. */
async function readPlan(project: Project, root: string, word: string, ports: Ports): Promise<NamedPlan> {
  const path = resolve(ports.cwd, word);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isFile()) return { text: readFile(path, word), ...placeOf(root, path) };
  if (/[./\\]/.test(word) && !project.board.views.has(word))
    throw new GzaError('input', `there is no file ${word}`, {
      hint: `${ports.program} breakdown docs/plan.md`,
    });
  const view = findTask(project.board, word);
  const text = view.task.type === 'plan' ? (await writtenText(project, view))?.text : null;
  if (text) return { text, name: `the plan of ${view.id}`, group: view.task.group ?? view.id };
  const planned = view.task.plan_file;
  // Anyone who can push may have written this path, so it is checked.
  if (
    planned !== undefined &&
    whyUnsafePath(planned) === null &&
    lstatSync(join(root, planned), { throwIfNoEntry: false })?.isFile()
  )
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

function placeOf(root: string, path: string): Pick<NamedPlan, 'name' | 'path'> {
  const inside = relative(root, path).replaceAll('\\', '/');
  return inside.startsWith('..') ? { name: basename(path) } : { name: inside, path: inside };
}

function readFile(path: string, name: string): string {
  refuseLarge(name, lstatSync(path).size);
  return readFileSync(path, 'utf8');
}

/** Files of the work tree. */
function filesBelow(root: string): Files {
  const stats = (path: string) => lstatSync(join(root, path), { throwIfNoEntry: false });
  return {
    read: async (path) => (stats(path)?.isFile() ? readFile(join(root, path), path) : null),
    exists: (path) => stats(path) !== undefined,
    sizes: (paths) => fileSizes(root, [{ files_to_modify: [...paths] } as never]),
  };
}

function givenCriteria(product: string | undefined, { cwd }: Ports): Criterion[] | undefined {
  if (product === undefined) return undefined;
  const path = resolve(cwd, product);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile())
    throw new GzaError('input', `there is no file ${path}`);
  return parseProduct(readFile(path, basename(path)));
}

/** The group that an earlier breakdown of this plan used, so that its task file is replaced. */
async function groupBefore(
  { backlog }: Project,
  { path }: NamedPlan,
  { options }: Invocation,
): Promise<string | undefined> {
  if (path === undefined || options['group'] !== undefined) return undefined;
  const { tasks } = await backlog.read();
  const isFrom = ({ task: { plan_file, group }, file }: (typeof tasks)[number]) =>
    plan_file === path && group !== undefined && taskFiles(group).includes(file);
  return tasks.find(isFrom)?.task.group;
}

/** Named after the file (`docs/plans/auth.md` → `auth`), or after the first heading of `PLAN.md`. */
function groupOf({ name, path, group, text }: NamedPlan, { options }: Invocation): string {
  const given = options['group'] as string | undefined;
  if (given) return given;
  if (group !== undefined) return group;
  const stem = basename(path ?? name).replace(/\.[^.]*$/, '');
  if (!/^(?:plan|readme|todo|tasks|implementation)$/i.test(stem)) return slugOf(stem) ?? 'plan';
  const title = planSections(text).find(({ level }) => level > 0)?.title ?? '';
  return (
    slugOf(title.replace(/^(?:implementation )?plan\b[\s:–—-]*|(?<![\s:–—-])[\s:–—-]*plan$/gi, '')) ?? 'plan'
  );
}

async function write(root: string, file: string, before: string | null, text: string): Promise<void> {
  const { changeTaskFile, writeNewTaskFile } = await import('../../backlog/lazy-backlog.ts');
  if (before === null) return writeNewTaskFile({ root, file }, text);
  changeTaskFile({ root, file }, (now) => {
    if (now !== before) throw new GzaError('lost', `${file} was changed meanwhile; run it again`);
    return text;
  });
}
