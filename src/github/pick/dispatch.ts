/**
 * Reads the inputs of a dispatched run, from the previous job or from a person. A person's request is
 * answered in the run's summary.
 */
import { join } from 'node:path';
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { findTask } from '../../app/tasks/change-task.ts';
import type { TaskView } from '../../core/board/board.ts';
import { workflowTraits } from '../../core/doctor/workflow-traits.ts';
import { GzaError, isGzaError } from '../../core/errors.ts';
import { type CommentVerb, commentVerbs } from '../../core/markdown/parse-comment-commands.ts';
import type { Decision } from '../../core/policy/decide.ts';
import { parseJson } from '../../core/shape.ts';
import { readPlainFile } from '../../system/outside.ts';
import { isAtLeast, strictest } from '../api/forge.ts';
import { handleCommand } from '../comments/handle-command.ts';
import type { JobContext } from '../jobs/job-context.ts';

const atMost = (chars: number) =>
  z
    .string()
    .transform((text) => text.trim().slice(0, chars))
    .default('');
const shape = z.object({
  task: atMost(200),
  group: atMost(200),
  milestone: atMost(200),
  command: atMost(40),
  guidance: atMost(10_000),
  dry_run: atMost(10),
});
type Fields = z.infer<typeof shape>;
const endedShape = z.object({ ended: z.array(z.string().max(100)).max(256) });

export interface Dispatched {
  /** False when nothing was written for the request. */
  readonly isTaken: boolean;
  readonly said: string;
  /** Tasks that should start now. */
  readonly tasks: readonly string[];
}

function fields({ event }: Pick<JobContext, 'event'>): Fields | null {
  if (event.name !== 'workflow_dispatch') return null;
  return shape.safeParse(event.payload['inputs'] ?? {}).data ?? null;
}

/** Claims whose jobs have ended, as reported by the last of those jobs. */
export function endedClaims({ event: { name, payload } }: JobContext): Set<string> {
  if (name !== 'repository_dispatch' && name !== 'workflow_dispatch') return new Set();
  const { event = '' } = (payload['inputs'] ?? {}) as { readonly event?: string };
  const told = name === 'repository_dispatch' ? payload['client_payload'] : parseJson(event);
  return new Set(endedShape.safeParse(told).data?.ended ?? []);
}

const workflowBytesMax = 1_000_000;

/** The event that starts the triggered workflow: `repository_dispatch` if it listens for that. */
export async function wokenBy({ run }: Pick<JobContext, 'run'>, folder: string): Promise<string> {
  const path = join('.github/workflows', run.workflow);
  const text = await readPlainFile(join(folder, path), workflowBytesMax).catch(() => null);
  const traits = text && workflowTraits(path, text.toString('utf8'));
  const isDeaf = traits?.isReadable === true && !traits.triggers.includes('repository_dispatch');
  return isDeaf ? 'workflow_dispatch' : 'repository_dispatch';
}

/** True when the person only wants to know what would start: nothing is pushed or posted. */
export function isDryRun(ci: Pick<JobContext, 'event'>): boolean {
  return fields(ci)?.dry_run === 'true';
}

/** Identifies the run, so that restarting it does not repeat the request. */
export function dispatchKey({ run }: Pick<JobContext, 'run'>): string {
  return `d${run.id}`;
}

/**
 * Null when no person requested anything. No role is checked: GitHub lets only people with write access start
 * a workflow.
 */
export async function takeDispatch(
  ci: JobContext,
  project: Project,
  seen: readonly string[],
): Promise<Dispatched | null> {
  const asked = fields(ci);
  if (asked === null || seen.includes(dispatchKey(ci))) return null;
  const { task, group, milestone, command } = asked;
  if (`${task}${group}${milestone}` === '' && (command === '' || command === 'work')) return null;
  try {
    const verb = verbOf(command);
    const views = tasksMeant(project, asked);
    const by = ci.ports.env['GITHUB_ACTOR'] ?? 'someone';
    await mayDispatch(ci, project, verb, by);
    const all: Dispatched[] = [];
    for (const view of views)
      all.push(await obeyFor(ci, project, view, { verb, by, guidance: asked.guidance }));
    return {
      isTaken: all.some(({ isTaken }) => isTaken),
      said: all.map(({ said }) => said).join('\n'),
      tasks: all.flatMap(({ tasks }) => tasks),
    };
  } catch (error) {
    return refusedFor(error);
  }
}

function refusedFor(error: unknown): Dispatched {
  if (!isGzaError(error)) throw error;
  return { isTaken: false, said: `${error.message}${error.hint ? `\n${error.hint}` : ''}`, tasks: [] };
}

function tasksMeant({ board }: Project, { task, group, milestone }: Fields): readonly TaskView[] {
  if (task !== '') return [findTask(board, task)];
  const isMeant = ({ record, task: one }: TaskView) =>
    record?.closed_at === undefined &&
    (group === '' || one.group === group) &&
    (milestone === '' || one.milestone === milestone);
  const views = `${group}${milestone}` === '' ? [] : [...board.views.values()].filter(isMeant);
  if (views.length > 0) return views;
  const empty = 'The fields `task`, `group` and `milestone` are empty: one of them says what is meant.';
  const names = [group && `the group ${group}`, milestone && `the milestone ${milestone}`].filter(Boolean);
  throw new GzaError('usage', names.length > 0 ? `no task is open in ${names.join(' and ')}` : empty);
}

interface Wish {
  readonly verb: CommentVerb;
  readonly by: string;
  readonly guidance: string;
}

async function obeyFor(
  ci: JobContext,
  project: Project,
  view: TaskView,
  { verb, by, guidance }: Wish,
): Promise<Dispatched> {
  const tasks = verb === 'work' ? [view.id] : [];
  try {
    if (verb === 'work' && view.record?.closed_at !== undefined)
      throw new GzaError('refused', `${view.id} is ${view.status} already; \`reopen\` opens it again.`);
    // The task is running already. A request now would run the step a second time.
    const isAtWork = project.board.claims.some((claim) => claim.task === view.id);
    if (verb === 'work' && guidance === '' && isAtWork)
      return { isTaken: false, said: `${view.id} is at work.`, tasks };
    const { kind, text, details } = await handleCommand(ci, project, view, by, {
      verb,
      args: [],
      guidance,
      line: 1,
    });
    const said = [`${verb} of ${view.id}: ${text}`, ...(details === undefined ? [] : [details])].join('\n');
    return { isTaken: kind === 'done', said, tasks };
  } catch (error) {
    return refusedFor(error);
  }
}

/** A task without a command means `work`. */
function verbOf(command: string): CommentVerb {
  const verb = commentVerbs.find((one) => one === (command || 'work'));
  if (verb) return verb;
  throw new GzaError('usage', `there is no command ${JSON.stringify(command)}`, {
    hint: `There are: ${commentVerbs.join(', ')}`,
  });
}

async function mayDispatch(
  ci: JobContext,
  { config }: Project,
  verb: CommentVerb,
  by: string,
): Promise<void> {
  const needed = strictest(['write', config.commands[verb] ?? 'write']);
  if (needed === 'write' || isAtLeast(await ci.forge().role(by), needed)) return;
  throw new GzaError('refused', `${by} may not ask for ${verb}`, {
    hint: `\`commands\` in gza.yaml keeps it to the role ${needed}.`,
  });
}

/** The answer, after everything that may start was claimed. */
export function dispatchAnswer(
  { isTaken, said, tasks }: Dispatched,
  decisions: readonly Decision[],
  started: readonly { readonly task: string }[],
): { readonly isDone: boolean; readonly text: string } {
  if (tasks.length === 0) return { isDone: isTaken, text: said };
  const isStarted = (id: string) => started.some(({ task }) => task === id);
  const lines = tasks.map((id) => {
    if (isStarted(id)) return `${id} is started.`;
    const decision = decisions.find(({ task }) => task === id);
    const why = decision
      ? `${decision.because} (would change it: ${decision.change})`
      : 'nothing is left to do';
    return `${id} does not start now: ${why}.`;
  });
  return { isDone: tasks.some(isStarted), text: lines.join('\n') };
}
