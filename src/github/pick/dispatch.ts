/** The fields of a workflow that was started: by the job before, or by hand. What a person asks there is answered in the run. */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import { findTask } from '../../app/tasks/find-task.ts';
import { GzaError, isGzaError } from '../../core/errors.ts';
import { type CommentVerb, commentVerbs } from '../../core/markdown/parse-comment-commands.ts';
import type { Decision } from '../../core/policy/decide.ts';
import { isAtLeast, strictest } from '../api/role.ts';
import { obeyOn } from '../comments/obey-command.ts';
import type { Ci } from '../jobs/ci.ts';
import { parseJson } from '../jobs/parse-json.ts';

const atMost = (chars: number) =>
  z
    .string()
    .transform((text) => text.trim().slice(0, chars))
    .optional();
const shape = z.object({
  event: z.string().optional(),
  task: atMost(200),
  command: atMost(40),
  guidance: atMost(10_000),
});
const endedShape = z.object({ ended: z.array(z.string().max(100)).max(256) });

export interface Dispatched {
  /** False when nothing was written for it. */
  readonly isTaken: boolean;
  readonly said: string;
  /** The task that should be worked on now. */
  readonly task?: string;
}

function fields({ event }: Ci): z.infer<typeof shape> {
  if (event.name !== 'workflow_dispatch') return {};
  const parsed = shape.safeParse(event.payload['inputs'] ?? {});
  return parsed.success ? parsed.data : {};
}

/** Claims whose jobs are over, as the last of them said. */
export function endedClaims(ci: Ci): Set<string> {
  const parsed = endedShape.safeParse(parseJson(fields(ci).event ?? ''));
  return new Set(parsed.success ? parsed.data.ended : []);
}

/** A run that is started anew asks nothing twice. */
export function dispatchKey({ run }: Pick<Ci, 'run'>): string {
  return `d${run.id}`;
}

/** Null when no person asked for anything. Who may start a workflow has write access: GitHub asked. */
export async function takeDispatch(
  ci: Ci,
  project: Project,
  seen: readonly string[],
): Promise<Dispatched | null> {
  const { task = '', command = '', guidance = '' } = fields(ci);
  if ((task === '' && command === '') || seen.includes(dispatchKey(ci))) return null;
  try {
    return await obeyFields(ci, project, { task, command, guidance });
  } catch (error) {
    if (!isGzaError(error)) throw error;
    return { isTaken: false, said: `${error.message}${error.hint ? `\n${error.hint}` : ''}` };
  }
}

async function obeyFields(
  ci: Ci,
  project: Project,
  { task, command, guidance }: { readonly task: string; readonly command: string; readonly guidance: string },
): Promise<Dispatched> {
  const verb = verbOf(command);
  if (task === '') throw new GzaError('usage', 'The field `task` is empty: it takes the id of a task.');
  const view = findTask(project.board, task);
  const by = ci.ports.env['GITHUB_ACTOR'] ?? 'someone';
  await mayDispatch(ci, project, verb, by);
  if (verb === 'work' && view.record?.closed_at !== undefined)
    throw new GzaError('refused', `${view.id} is ${view.status} already; \`reopen\` opens it again.`);
  // Asked for now, the step would be done once more when it ends.
  const isAtWork = project.board.claims.some((claim) => claim.task === view.id);
  if (verb === 'work' && guidance === '' && isAtWork)
    return { isTaken: false, said: `${view.id} is at work.`, task: view.id };
  const { kind, text, details } = await obeyOn(ci, project, view, by, { verb, args: [], guidance, line: 1 });
  const said = [`${verb} of ${view.id}: ${text}`, ...(details === undefined ? [] : [details])].join('\n');
  return { isTaken: kind === 'done', said, ...(verb === 'work' ? { task: view.id } : {}) };
}

/** A task without a command is to be worked on. */
function verbOf(command: string): CommentVerb {
  const verb = commentVerbs.find((one) => one === (command === '' ? 'work' : command.toLowerCase()));
  if (verb) return verb;
  throw new GzaError('usage', `there is no command ${JSON.stringify(command)}`, {
    hint: `There are: ${commentVerbs.join(', ')}`,
  });
}

async function mayDispatch(ci: Ci, { config }: Project, verb: CommentVerb, by: string): Promise<void> {
  const needed = strictest(['write', config.commands[verb] ?? 'write']);
  if (needed === 'write' || isAtLeast(await ci.forge().role(by), needed)) return;
  throw new GzaError('refused', `${by} may not ask for ${verb}`, {
    hint: `\`commands\` in gza.yaml keeps it to the role ${needed}.`,
  });
}

/** What came of it, when all is claimed that may start. */
export function dispatchAnswer(
  { isTaken, said, task }: Dispatched,
  decisions: readonly Decision[],
  started: readonly { readonly task: string }[],
): { readonly isDone: boolean; readonly text: string } {
  if (task === undefined) return { isDone: isTaken, text: said };
  if (started.some((one) => one.task === task)) return { isDone: true, text: `${task} is started.` };
  const decision = decisions.find((one) => one.task === task);
  const why = decision
    ? `${decision.because} (would change it: ${decision.change})`
    : 'nothing is left to do';
  return { isDone: false, text: `${task} does not start now: ${why}.` };
}
