/**
 * The team's CI on branches that a job pushed. What is to be started stands in the base ledger from the push on: a job
 * that dies right after it starts nothing, and the next pick sees what is missing.
 */
import * as z from 'zod';
import type { Project } from '../../app/project.ts';
import type { Event } from '../../core/ledger/event.ts';
import type { Ci } from '../jobs/ci.ts';
import type { Start } from '../jobs/next.ts';
import { parseJson } from '../jobs/parse-json.ts';
import { ciRun, parseCiRun } from './claim-life.ts';
import type { LaneWorld } from './lane-world.ts';

const prefix = 'start:';
const shape = z.strictObject({ head: z.string().max(64), run: z.string().max(60) });

/** None where nothing is to be started. */
export function startEvents(
  { ports, run, input }: Ci,
  { config }: Project,
  branch: string,
  head: string,
): Event[] {
  if (config.ci_workflow.length === 0 || input('login') !== '') return [];
  const value = JSON.stringify({ head, run: ciRun(run) });
  return [{ kind: 'mark', at: ports.now(), name: `${prefix}${branch}`, value }];
}

/** What this run is to start; what earlier ones started, or what nobody waits for any more, is forgotten. */
export async function owedStarts(
  ci: Ci,
  project: Project,
  worlds: ReadonlyMap<string, LaneWorld>,
): Promise<Start[]> {
  const marks = Object.entries((await project.view.meta(project.view.base))?.marks ?? {});
  const starts: Start[] = [];
  const events: Event[] = [];
  for (const [name, value] of marks.filter(([one]) => one.startsWith(prefix))) {
    const branch = name.slice(prefix.length);
    const { data } = shape.safeParse(parseJson(value));
    const isThere = data !== undefined && worlds.get(branch)?.head === data.head;
    const left = isThere ? await leftToStart(ci, project, data) : [];
    if (left === 'unknown') continue;
    starts.push(...left.map((workflow) => ({ workflow, branch })));
    if (left.length === 0) events.push({ kind: 'mark', at: ci.ports.now(), name, value: null });
    else if (data && data.run !== ciRun(ci.run)) events.push(...startEvents(ci, project, branch, data.head));
  }
  if (events.length > 0)
    await project.ledger.write(async ({ base }) => ({ changes: [{ branch: base, events }] }));
  return starts;
}

/** A run that ended well started them, or said why it could not. Of one that did not, GitHub is asked. */
async function leftToStart(
  ci: Ci,
  { config }: Project,
  { head, run }: z.infer<typeof shape>,
): Promise<readonly string[] | 'unknown'> {
  if (run === ciRun(ci.run)) return config.ci_workflow;
  const of = parseCiRun(run);
  const found = of ? await ci.forge().run(of.id) : null;
  // Started anew it is another attempt, which looks here itself.
  if (found && found.attempt === of?.attempt) {
    if (!found.isCompleted) return 'unknown';
    if (found.conclusion === 'success') return [];
  }
  const begun = await ci.forge().startedOn(head);
  return config.ci_workflow.filter((workflow) => !begun.includes(workflow));
}
