/**
 * A caller that is there, with what it lacks of a fresh one: events, fields of a dispatch, permissions, secrets. What
 * its owners chose stays: runners, set-up, schedule, branches, secrets of another name, comments.
 */
import { isMap, isScalar, isSeq, parseDocument, parse as parseYaml, type YAMLMap } from 'yaml';
import { isGza } from '../../doctor/workflow-traits.ts';

export interface UpdatedCaller {
  readonly text: string;
  /** `on: pull_request_review`, in the order of the file. */
  readonly added: readonly string[];
}

interface Fresh {
  readonly on: Readonly<Record<string, { readonly types?: readonly string[]; readonly inputs?: Inputs }>>;
  readonly jobs: {
    readonly gza: { readonly uses: string; readonly permissions: Words; readonly secrets: Words };
  };
}
type Words = Readonly<Record<string, string>>;
type Inputs = Readonly<Record<string, { readonly options?: readonly string[] }>>;

/** When it looks by itself, and at which pushes, is for its owners to say. */
const theirs = new Set(['push', 'schedule']);

/** Null for a file without a job that calls gza. `uses`: it calls that from now on. */
export function updateCaller(text: string, fresh: string, uses: string | null): UpdatedCaller | null {
  const document = parseDocument(text);
  const wanted = parseYaml(fresh) as Fresh;
  const jobs = document.get('jobs');
  const job = isMap(jobs)
    ? jobs.items.find(({ value }) => isMap(value) && callsGza(value))?.value
    : undefined;
  if (document.errors.length > 0 || !isMap(job)) return null;
  const added: string[] = [];
  const missing = (map: YAMLMap, key: string, value: unknown, name: string) => {
    if (map.has(key)) return false;
    map.set(document.createNode(key), document.createNode(value));
    added.push(name);
    return true;
  };
  const list = (map: YAMLMap, key: string, values: readonly string[], name: string) => {
    const there = map.get(key);
    const has = isSeq(there) ? there.items.map((one) => String(isScalar(one) ? one.value : one)) : null;
    const lacks = has === null ? [] : values.filter((one) => !has.includes(one));
    if (isSeq(there)) for (const one of lacks) there.add(document.createNode(one));
    added.push(...lacks.map((one) => `${name}: ${one}`));
  };
  const on = listening(document);
  for (const [event, given] of Object.entries(wanted.on)) {
    if (theirs.has(event) || missing(on, event, given, `on: ${event}`)) continue;
    const there = on.get(event);
    if (!isMap(there)) continue;
    list(there, 'types', given.types ?? [], `on: ${event}`);
    const inputs = there.get('inputs');
    if (given.inputs && !missing(there, 'inputs', given.inputs, `on: ${event}: inputs`) && isMap(inputs))
      for (const [name, input] of Object.entries(given.inputs)) {
        const field = inputs.get(name);
        if (!missing(inputs, name, input, `input ${name}`) && isMap(field))
          list(field, 'options', input.options ?? [], `input ${name}`);
      }
  }
  const { permissions, secrets } = wanted.jobs.gza;
  for (const [key, words, isWanted] of [
    ['permissions', permissions, (now: unknown, value: string) => now !== value],
    ['secrets', secrets, (now: unknown) => now === undefined],
  ] as const) {
    const there = job.get(key);
    if (missing(job, key, words, key) || !isMap(there)) continue;
    for (const [name, value] of Object.entries(words)) {
      if (!isWanted(there.get(name), value)) continue;
      there.set(name, value);
      added.push(`${key}: ${name}`);
    }
  }
  // Which events are gza's business stands in what is called; an earlier caller said so itself, and of fewer.
  const condition = job.get('if');
  if (typeof condition === 'string' && condition.includes('gza: task board') && job.delete('if'))
    added.push('no if');
  if (uses !== null && job.get('uses') !== uses) {
    job.set('uses', uses);
    added.push(`uses: ${uses}`);
  }
  return { text: added.length === 0 ? text : likeBefore(document.toString({ lineWidth: 0 }), text), added };
}

/** Lines that say the same are spelled as they were. */
function likeBefore(text: string, before: string): string {
  const bare = (line: string) => line.replaceAll(/(?<=[[{]) +| +(?=[\]}])/g, '');
  const known = new Map(before.split('\n').map((line) => [bare(line), line]));
  return text
    .split('\n')
    .map((line) => known.get(bare(line)) ?? line)
    .join('\n');
}

function callsGza(job: YAMLMap): boolean {
  const uses = job.get('uses');
  return typeof uses === 'string' && isGza(uses);
}

/** `on:` in its long form. */
function listening(document: ReturnType<typeof parseDocument>): YAMLMap {
  const on = document.get('on');
  if (isMap(on)) return on;
  const names = isSeq(on) ? (on.toJSON() as string[]) : on === undefined ? [] : [String(on)];
  const map = document.createNode(
    Object.fromEntries(names.map((name) => [name, null])),
  ) as unknown as YAMLMap;
  document.set('on', map);
  return map;
}
