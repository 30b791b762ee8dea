/**
 * Adds to an existing caller workflow what a fresh one has: events, inputs of a dispatch, permissions,
 * secrets. Keeps what its owners chose: runners, set-up, schedule, branches, secrets under other names,
 * comments.
 */
import { parse } from 'yaml';
import { isGza } from '../../doctor/workflow-traits.ts';
import { editYaml } from '../../yaml/edit-yaml.ts';

export interface UpdatedCaller {
  readonly text: string;
  /** What was added, such as `on: pull_request_review`. */
  readonly added: readonly string[];
}

type Mapping = Readonly<Record<string, unknown>>;

/** Events that the update leaves alone: owners choose the schedule and the pushes that start gza. */
const theirs = new Set(['push', 'schedule']);

/** Null for a file without a job that calls gza. `uses`: the new `uses:` of that job, or null to keep it. */
export function updateCaller(text: string, fresh: string, uses: string | null): UpdatedCaller | null {
  const there = readMapping(text);
  const [job, calling] =
    Object.entries(mapping(there['jobs'])).find(([, one]) => isGza(String(mapping(one)['uses']))) ?? [];
  if (job === undefined) return null;
  const added: string[] = [];
  let now = text;
  const set: Setting = (path, value, name) => {
    now = editYaml(now, path, value);
    if (name) added.push(name);
  };
  const { on, jobs } = readMapping(fresh);
  listen(there['on'], mapping(on), set);
  completeJob(['jobs', job], mapping(calling), mapping(mapping(jobs)['gza']), set);
  if (uses !== null && mapping(calling)['uses'] !== uses) set(['jobs', job, 'uses'], uses, `uses: ${uses}`);
  return { text: now, added };
}

/** `name`: how the report of the update names the setting. */
type Setting = (path: readonly string[], value: unknown, name?: string) => void;

function listen(there: unknown, wanted: Mapping, set: Setting): void {
  const names = isMapping(there) ? null : [there ?? []].flat().map(String);
  if (names) set(['on'], Object.fromEntries(names.map((event) => [event, null])));
  const on = isMapping(there) ? there : Object.fromEntries((names ?? []).map((event) => [event, null]));
  for (const [event, given] of Object.entries(wanted)) {
    if (theirs.has(event)) continue;
    const [path, has, { types, inputs }] = [['on', event], mapping(on[event]), mapping(given)];
    if (!(event in on)) set(path, given, `on: ${event}`);
    else if (has['types'] !== undefined)
      addTo([...path, 'types'], has['types'], types ?? [], `on: ${event}`, set);
    if (!(event in on) || inputs === undefined) continue;
    if (!isMapping(has['inputs'])) set(path, { ...has, inputs }, `on: ${event}: inputs`);
    else
      for (const [name, input] of Object.entries(mapping(inputs))) {
        const [field, at] = [has['inputs'][name], [...path, 'inputs', name]];
        if (field === undefined) set(at, input, `input ${name}`);
        else if (isMapping(field) && field['options'] !== undefined)
          addTo([...at, 'options'], field['options'], mapping(input)['options'] ?? [], `input ${name}`, set);
      }
  }
}

function addTo(path: readonly string[], has: unknown, wanted: unknown, name: string, set: Setting): void {
  const known = [has].flat();
  const lacks = (wanted as readonly string[]).filter((one) => !known.includes(one));
  if (lacks.length > 0) set(path, [...known, ...lacks], `${name}: ${lacks.join(', ')}`);
}

function completeJob(path: readonly string[], job: Mapping, fresh: Mapping, set: Setting): void {
  const permissions = mapping(fresh['permissions']);
  if (job['permissions'] === undefined) set([...path, 'permissions'], permissions, 'permissions');
  for (const [name, level] of Object.entries(permissions))
    if (isMapping(job['permissions']) && job['permissions'][name] !== level)
      set([...path, 'permissions', name], level, `permissions: ${name}`);
  const secrets = mapping(fresh['secrets']);
  // `secrets: inherit` passes nothing to another owner's workflow, and to the same owner's more than it
  // needs.
  if (!isMapping(job['secrets'])) set([...path, 'secrets'], secrets, 'secrets');
  for (const [name, value] of Object.entries(secrets))
    if (isMapping(job['secrets']) && job['secrets'][name] === undefined)
      set([...path, 'secrets', name], value, `secrets: ${name}`);
  // The called workflow now selects the events. The condition of earlier callers would keep out newer ones.
  const condition = job['if'];
  if (typeof condition === 'string' && condition.includes('gza: task board'))
    set([...path, 'if'], null, 'no if');
}

function readMapping(text: string): Mapping {
  try {
    return mapping(parse(text));
  } catch {
    return {};
  }
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function mapping(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}
