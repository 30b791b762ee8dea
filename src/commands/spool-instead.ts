/**
 * Inside a step, an agent's commands write to the step's spool, because the agent has no ledger. The engine
 * checks the spool when the step ends, and files what is in it. The commands print the same as elsewhere.
 */

import type { Invocation, Outcome, Ports } from '../app/command.ts';
import { GzaError } from '../core/errors.ts';
import { fnv1a64 } from '../core/review/same-finding.ts';
import { provisionalId } from '../core/spool/spool.ts';
import type { SpoolLine } from '../core/spool/spool-line.ts';
import { titleOf } from '../core/task/task.ts';
import { shorten } from '../core/text/terminal/lines.ts';
import {
  appendSpool,
  readSpool,
  readStepContext,
  readStepTasks,
  spoolPath,
} from '../engine/perform/spool-file.ts';
import { taskText } from './task-text.ts';

type Verb = 'add' | 'note' | 'done' | 'context' | 'show';

/** Null outside a step. */
export async function spoolInstead(
  verb: Verb,
  invocation: Invocation,
  ports: Ports,
): Promise<Outcome | null> {
  const spool = spoolPath(ports.env);
  if (spool === null) return null;
  switch (verb) {
    case 'add':
      return add(spool, invocation, ports);
    case 'note':
      return note(spool, invocation, ports);
    case 'done':
      return done(spool, invocation);
    case 'context':
      return context(spool);
    case 'show':
      return show(spool, invocation);
  }
}

const addOptions = ['after', 'parent', 'json', 'color', 'no-color'];

async function add(spool: string, { args, options }: Invocation, ports: Ports): Promise<Outcome> {
  const other = Object.keys(options).find(
    (name) => options[name] !== undefined && options[name] !== false && !addOptions.includes(name),
  );
  if (other !== undefined) {
    throw new GzaError(
      'refused',
      `during a step a task is filed with its text and --after alone, not --${other}`,
      {
        hint: 'The rest is for a person to decide.',
      },
    );
  }
  const content = await taskText(args.join(' '), { ports });
  const known = await readStepTasks(spool);
  const after = [options['after'] ?? []]
    .flat()
    .flatMap((one) => String(one).split(','))
    .map((one) => fullId(one, known));
  const parent = options['parent'] === undefined ? null : fullId(String(options['parent']), known);
  const { text } = await readSpool(spool);
  const isTaken = (id: string) => known.has(id) || text.includes(`"${id}"`);
  const ref = provisionalId(content, `${fnv1a64(spool)}${ports.random()}`, isTaken);
  if (ref === null) throw new GzaError('world', 'no free id was found');
  await appendSpool(spool, { kind: 'add', content, after, ref, parent });
  const waits = after.length > 0 ? ` (after ${after.join(', ')})` : '';
  return said({ id: ref, content }, `${ref}: ${shorten(titleOf(content), 200)}${waits}`);
}

async function note(spool: string, { args }: Invocation, ports: Ports): Promise<Outcome> {
  const text = await taskText(args.slice(1).join(' '), { ports });
  return append(spool, { kind: 'note', id: await knownId(spool, args[0]), text }, 'noted');
}

async function done(spool: string, { args, options }: Invocation): Promise<Outcome> {
  const text = (options['note'] as string | undefined) || null;
  const ids = await Promise.all(args.map((word) => knownId(spool, word)));
  for (const id of ids) await appendSpool(spool, { kind: 'done', id, note: text });
  const [id] = ids;
  return said(
    ids.length === 1 ? { id } : ids.map((one) => ({ id: one })),
    ids.map((one) => `${one}: done`).join('\n'),
  );
}

async function append(
  spool: string,
  line: Exclude<SpoolLine, { kind: 'add' }>,
  word: string,
): Promise<Outcome> {
  await appendSpool(spool, line);
  return said({ id: line.id }, `${line.id}: ${word}`);
}

async function context(spool: string): Promise<Outcome> {
  const markdown = (await readStepContext(spool)) ?? '';
  return said({ markdown }, markdown);
}

async function show(spool: string, { args }: Invocation): Promise<Outcome> {
  const tasks = await readStepTasks(spool);
  const word = args[0] as string;
  const id = [word, `task-${word}`].find((one) => tasks.has(one));
  if (id === undefined) {
    throw new GzaError('input', `there is no task ${JSON.stringify(word)} that this step may look at`, {
      hint: `It may look at: ${[...tasks.keys()].slice(0, 20).join(', ') || 'none'}`,
    });
  }
  return said({ id, text: tasks.get(id) }, tasks.get(id) ?? '');
}

async function knownId(spool: string, word = ''): Promise<string> {
  return fullId(word, await readStepTasks(spool));
}

/** Adds `task-`, which may be left out. */
function fullId(word: string, known: ReadonlyMap<string, string>): string {
  return /^[0-9a-f]{4,16}$/.test(word) && !known.has(word) ? `task-${word}` : word;
}

function said(json: unknown, text: string): Outcome {
  return { json, text };
}
