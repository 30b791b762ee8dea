/**
 * What makes GitHub refuse a run before any job starts (`startup_failure`, without a word in the log): a callable
 * that asks for more than its caller may give, inputs it does not know, secrets it is not given, too deep a nest, a
 * `uses:` that cannot be parsed or leads to no workflow.
 */
import { parse } from 'yaml';
import { diagnose } from './official-parser.ts';
import { excess, parsePermissions } from './permissions.ts';
import type { Permissions } from './state.ts';
import { triggersOf } from './triggers.ts';
import { locate, type Source, usesFault } from './workflow-source.ts';
import type { JobDefinition, Json, WorkflowOptions } from './workflow-types.ts';

const depthMax = 10;

/** By their text: the same few are asked for in each run. */
const parsed = new Map<string, Json>();

export async function loadWorkflow(source: Source, path: string): Promise<Json | null> {
  const text = await source.read(path);
  if (text === null) return null;
  const content = parsed.get(text) ?? (parse(text) as Json);
  parsed.set(text, content);
  return content;
}

export interface Checked {
  readonly source: Source;
  readonly path: string;
  readonly content: Json;
  readonly permissions: Permissions;
  readonly depth: number;
  /** The most its jobs may have: what the calling job has. */
  readonly ceiling?: Permissions;
}

export async function checkWorkflow(checked: Checked, options: WorkflowOptions): Promise<string[]> {
  const { source, path, content, depth } = checked;
  if (depth > depthMax) return [`${path}: more than ${depthMax} workflows call each other`];
  const errors = [...(await diagnose(path, (await source.read(path)) ?? ''))];
  const jobs = Object.entries((content['jobs'] ?? {}) as Record<string, JobDefinition>);
  for (const [id, job] of jobs) {
    const given = parsePermissions(job.permissions, checked.permissions);
    errors.push(...over(path, id, given, checked));
    const faults = (job.steps ?? []).flatMap(({ uses }) =>
      uses === undefined ? [] : (usesFault(uses) ?? []),
    );
    errors.push(...faults.map((fault) => `${path}: job ${id}: ${fault}`));
    if (job.uses) errors.push(...(await checkCall(id, job, given, checked, options)));
  }
  return errors;
}

/** A job of a callable may not have what the calling job has not. */
function over(path: string, id: string, asked: Permissions, checked: Checked): string[] {
  if (!checked.ceiling) return [];
  return excess(asked, checked.ceiling).map(
    (one) => `${path}: job ${id} asks for ${one}, but its caller is not allowed that`,
  );
}

async function checkCall(
  id: string,
  job: JobDefinition,
  given: Permissions,
  from: Checked,
  options: WorkflowOptions,
): Promise<string[]> {
  const located = locate(job.uses ?? '', from.source, options);
  if (typeof located === 'string') return [`${from.path}: job ${id}: ${located}`];
  const content = await loadWorkflow(located.source, located.path);
  const call = content && triggersOf(content)['workflow_call'];
  if (!content || !call) return [`${from.path}: job ${id}: ${job.uses} is no callable workflow`];
  const known = (call['inputs'] ?? {}) as Record<string, { required?: boolean } | null>;
  const wantedSecrets = (call['secrets'] ?? {}) as Record<string, { required?: boolean } | null>;
  const errors = Object.keys(job.with ?? {})
    .filter((name) => !(name in known))
    .map(
      (name) => `${from.path}: job ${id}: Invalid input, ${name} is not defined in the referenced workflow.`,
    );
  for (const [name, rule] of Object.entries(known))
    if (rule?.required && !(name in (job.with ?? {})))
      errors.push(`${from.path}: job ${id}: Input ${name} is required, but not provided while calling.`);
  if (job.secrets !== 'inherit') {
    const secrets = Object.keys(job.secrets ?? {});
    for (const name of secrets)
      if (!(name in wantedSecrets))
        errors.push(
          `${from.path}: job ${id}: Invalid secret, ${name} is not defined in the referenced workflow.`,
        );
    for (const [name, rule] of Object.entries(wantedSecrets))
      if (rule?.required && !secrets.includes(name))
        errors.push(`${from.path}: job ${id}: Secret ${name} is required, but not provided while calling.`);
  }
  const permissions = parsePermissions(content['permissions'], given);
  const above = excess(permissions, given).map(
    (one) => `${located.path} asks for ${one}, but job ${id} of ${from.path} is not allowed that`,
  );
  const inner = { ...located, content, permissions, ceiling: given, depth: from.depth + 1 };
  return [...errors, ...above, ...(await checkWorkflow(inner, options))];
}
