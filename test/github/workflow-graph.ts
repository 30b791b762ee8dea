/** The jobs of a run and of the workflows they call: which may start, what a matrix makes of them, what they amount to. */
import {
  asText,
  condition,
  interpolate,
  interpolateMap,
  interpolateText,
  type StatusFunctions,
} from './expressions.ts';
import { parsePermissions } from './permissions.ts';
import { type State, takeId } from './state.ts';
import { triggersOf } from './triggers.ts';
import { loadWorkflow } from './workflow-check.ts';
import { jobContexts, strategyContext } from './workflow-contexts.ts';
import { locate, type Source } from './workflow-source.ts';
import type {
  JobDefinition,
  JobGroup,
  JobInstance,
  Json,
  Result,
  Scope,
  WorkflowOptions,
} from './workflow-types.ts';

export function createScope(facts: Omit<Scope, 'groups' | 'cancelled'>): Scope {
  const scope: Scope = { ...facts, groups: new Map(), cancelled: false };
  for (const [id, definition] of Object.entries(
    (facts.content['jobs'] ?? {}) as Record<string, JobDefinition>,
  )) {
    const needs = [definition.needs ?? []].flat();
    scope.groups.set(id, {
      id,
      definition,
      scope,
      needs,
      instances: [],
      state: 'waiting',
      result: 'skipped',
      outputs: {},
      tainted: false,
    });
  }
  return scope;
}

export function isCancelled(scope: Scope): boolean {
  const { run } = scope.active;
  return (
    run.conclusion === 'cancelled' ||
    scope.cancelled ||
    (scope.caller !== null && isInstanceCancelled(scope.caller))
  );
}

export function isInstanceCancelled(instance: JobInstance): boolean {
  return instance.abort.signal.aborted || isCancelled(instance.group.scope);
}

const needed = (group: JobGroup) =>
  group.needs.map((id) => group.scope.groups.get(id)).filter((one) => one !== undefined);

/** All it needs, however far back: a skipped great-grandparent too makes success() false. */
function ancestorsSucceeded(group: JobGroup): boolean {
  return needed(group).every((one) => one.result === 'success' && ancestorsSucceeded(one));
}

export function groupStatus(group: JobGroup): StatusFunctions {
  const cancelled = isCancelled(group.scope);
  return {
    success: !cancelled && ancestorsSucceeded(group),
    failure: needed(group).some((one) => one.tainted),
    cancelled,
  };
}

export function mayStart(group: JobGroup, options: WorkflowOptions): boolean {
  return condition(group.definition.if, jobContexts(group.scope, group.needs, options), groupStatus(group));
}

export function isWaitingOver(group: JobGroup): boolean {
  return group.state === 'waiting' && needed(group).every((one) => one.state === 'done');
}

/** The combinations of a matrix; a vector without values is an error, as at GitHub. */
function combinations(matrix: Json): Json[] {
  const { include = [], exclude = [], ...vectors } = matrix;
  let rows: Json[] = [{}];
  for (const [name, values] of Object.entries(vectors)) {
    if (!Array.isArray(values) || values.length === 0)
      throw new Error(`Matrix vector '${name}' does not contain any values`);
    rows = rows.flatMap((row) => values.map((value): Json => ({ ...row, [name]: value })));
  }
  const names = Object.keys(vectors);
  const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
  rows = names.length === 0 ? [] : rows;
  rows = rows.filter(
    (row) =>
      !(exclude as Json[]).some((out) => Object.entries(out).every(([key, value]) => same(row[key], value))),
  );
  for (const extra of include as Json[]) {
    const fits = rows.filter((row) =>
      names.every((name) => !(name in extra) || same(row[name], extra[name])),
    );
    if (fits.length === 0 || names.length === 0) rows.push({ ...extra });
    else for (const row of fits) Object.assign(row, extra);
  }
  if (rows.length === 0) throw new Error('Matrix must define at least one vector');
  if (rows.length > 256) throw new Error(`A matrix of ${rows.length} jobs is more than the 256 of a run`);
  return rows;
}

export function expand(group: JobGroup, options: WorkflowOptions): JobInstance[] {
  const { definition, scope, needs } = group;
  const contexts = jobContexts(scope, needs, options);
  const matrix = interpolate(definition.strategy?.['matrix'], contexts) as Json | undefined;
  const rows = matrix === undefined || matrix === null ? [{}] : combinations(matrix);
  const given = parsePermissions(definition.permissions, scope.permissions);
  return rows.map((row, index): JobInstance => {
    const own = definition.name
      ? interpolateText(definition.name, { ...contexts, matrix: row })
      : plainName(group.id, row);
    const name = `${scope.prefix}${own}`;
    return {
      group,
      name,
      matrix: row,
      index,
      total: rows.length,
      record: {
        runId: scope.active.run.id,
        workflow: scope.active.run.workflow,
        name,
        result: 'skipped',
        permissions: given,
        secrets: Object.keys(scope.secrets),
        outputs: {},
        steps: [],
        messages: [],
      },
      scope: null,
      state: 'new',
      result: 'skipped',
      outputs: {},
      abort: new AbortController(),
      release: () => {},
    };
  });
}

function plainName(id: string, row: Json): string {
  const values = Object.values(row).map((value) =>
    value !== null && typeof value === 'object' ? Object.values(value).map(asText).join(', ') : asText(value),
  );
  return values.length > 0 ? `${id} (${values.join(', ')})` : id;
}

export function instanceContexts(instance: JobInstance, options: WorkflowOptions): Json {
  const { scope, needs } = instance.group;
  return jobContexts(scope, needs, options, {
    matrix: instance.matrix,
    strategy: strategyContext(instance),
    secrets: scope.secrets,
  });
}

/** The workflow that a job calls, ready to run. */
export async function openCall(instance: JobInstance, options: WorkflowOptions): Promise<Scope> {
  const { definition, scope } = instance.group;
  const located = locate(definition.uses ?? '', scope.source, options);
  if (typeof located === 'string') throw new Error(located);
  const content = await loadWorkflow(located.source, located.path);
  if (!content) throw new Error(`no workflow ${definition.uses}`);
  const contexts = instanceContexts(instance, options);
  const rules = (triggersOf(content)['workflow_call']?.['inputs'] ?? {}) as Record<
    string,
    { type?: string; default?: unknown } | null
  >;
  const given = (interpolate(definition.with ?? {}, contexts) ?? {}) as Json;
  const inputs = Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, typed(given[name] ?? rule?.default, rule?.type)]),
  );
  return createScope({
    active: scope.active,
    source: located.source,
    path: located.path,
    content,
    inputs,
    secrets: secretsFor(instance, located.source, contexts, options),
    permissions: parsePermissions(content['permissions'], instance.record.permissions),
    prefix: `${instance.name} / `,
    caller: instance,
  });
}

/**
 * `inherit` works in one organisation or enterprise (docs, workflow syntax, `jobs.<job_id>.secrets.inherit`): a callee
 * of another owner gets what is named. What is named and empty is not handed on (actions/runner,
 * WorkflowTemplateConverter.ConvertToWorkflowJobSecrets).
 */
function secretsFor(
  { group: { definition, scope } }: JobInstance,
  { owner }: Source,
  contexts: Json,
  { github }: WorkflowOptions,
): Readonly<Record<string, string>> {
  if (definition.secrets === 'inherit') return owner === github.state.owner ? scope.secrets : {};
  const named = Object.entries(interpolateMap(definition.secrets, contexts));
  return Object.fromEntries(named.filter(([, value]) => value !== ''));
}

function typed(value: unknown, type: string | undefined): unknown {
  if (type === 'boolean') return value === true || value === 'true';
  if (type === 'number') return Number(value ?? 0);
  return asText(value);
}

/** What all instances of a job amount to. */
export function closeGroup(group: JobGroup): void {
  const results = group.instances.map((one) => one.result);
  group.result = worst(results);
  group.state = 'done';
  group.tainted = group.result === 'failure' || needed(group).some((one) => one.tainted);
}

function worst(results: readonly Result[]): Result {
  if (results.includes('failure')) return 'failure';
  if (results.includes('cancelled')) return 'cancelled';
  return results.includes('success') ? 'success' : 'skipped';
}

export function isDone(scope: Scope): boolean {
  return [...scope.groups.values()].every((group) => group.state === 'done');
}

export function scopeResult(scope: Scope): Result {
  return worst([...scope.groups.values()].map((group) => group.result));
}

export function callOutputs(scope: Scope, options: WorkflowOptions): Record<string, string> {
  const rules = (triggersOf(scope.content)['workflow_call']?.['outputs'] ?? {}) as Record<
    string,
    { value?: string }
  >;
  const jobs = Object.fromEntries(
    [...scope.groups.values()].map((group) => [group.id, { result: group.result, outputs: group.outputs }]),
  );
  const contexts = jobContexts(scope, [], options, { jobs });
  return Object.fromEntries(
    Object.entries(rules).map(([name, rule]) => [name, interpolateText(rule.value, contexts)]),
  );
}

/** In the run's list of jobs, as the API tells it. */
export function enlist(instance: JobInstance, state: State): void {
  instance.group.scope.active.run.jobs.push({
    id: takeId(state),
    name: instance.name,
    status: 'queued',
    conclusion: null,
    startedAt: state.now,
    completedAt: null,
  });
}
