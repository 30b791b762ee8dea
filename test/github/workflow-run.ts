/** How a queued run begins and ends. */
import { interpolate } from './expressions.ts';
import { defaultPermissions, parsePermissions } from './permissions.ts';
import { type Permissions, type Run } from './state.ts';
import { triggersOf } from './triggers.ts';
import { checkWorkflow, loadWorkflow } from './workflow-check.ts';
import { githubContext } from './workflow-contexts.ts';
import { createScope } from './workflow-graph.ts';
import { type Engine, report } from './workflow-report.ts';
import { commitSource } from './workflow-source.ts';
import type { ActiveRun, Json, WorkflowOptions } from './workflow-types.ts';

export function isActive(engine: Engine, run: Run): boolean {
  return engine.active.some((one) => one.run === run && one.state !== 'done');
}

export function isOver({ options, active }: Engine): boolean {
  return active.length >= (options.stopAfter ?? Number.POSITIVE_INFINITY);
}

export async function startQueued(engine: Engine): Promise<void> {
  const { github, runsMax = 60 } = engine.options;
  for (const run of github.state.runs) {
    if (run.status !== 'queued' || isActive(engine, run) || isOver(engine)) continue;
    if (engine.active.length >= runsMax)
      throw new Error(
        `Workflows do not come to rest: more than ${runsMax} runs.\n${report(engine).transcript()}`,
      );
    await openRun(engine, run);
  }
}

async function openRun(engine: Engine, run: Run): Promise<void> {
  const { options, groups } = engine;
  const active: ActiveRun = { run, root: null, release: () => {}, state: 'pending' };
  engine.active.push(active);
  const source = commitSource(options.github, run.headSha, engine.temp);
  const content = (await loadWorkflow(source, run.workflow)) ?? {};
  const permissions = topPermissions(options, run, content);
  const errors = await checkWorkflow({ source, path: run.workflow, content, permissions, depth: 0 }, options);
  if (errors.length > 0) return failToStart(engine, active, errors);
  const secrets = isFromFork(options, run) ? {} : { ...options.secrets };
  const scope = createScope({
    active,
    source,
    path: run.workflow,
    content,
    inputs: dispatchInputs(run, content),
    secrets,
    permissions,
    prefix: '',
    caller: null,
  });
  const start = () => {
    if (run.conclusion === 'cancelled') return closeRun(engine, active, 'cancelled');
    active.root = scope;
    active.state = 'started';
    run.status = 'in_progress';
  };
  const cancel = (reason: string) => {
    run.message = reason;
    run.conclusion = 'cancelled';
    if (active.state === 'pending') closeRun(engine, active, 'cancelled');
  };
  if (content['concurrency'] === undefined) return start();
  run.status = 'pending';
  const setting = interpolate(content['concurrency'], {
    github: githubContext(scope, options),
    inputs: scope.inputs,
    vars: options.variables ?? {},
  });
  active.release = groups.enter(setting, { start, cancel });
}

function topPermissions(options: WorkflowOptions, run: Run, content: Json): Permissions {
  const fallback = defaultPermissions(options.github.state.settings.defaultPermissions);
  const asked = parsePermissions(content['permissions'], fallback);
  return isFromFork(options, run) ? readOnly(asked) : asked;
}

function readOnly(permissions: Permissions): Permissions {
  return Object.fromEntries(
    Object.entries(permissions).map(([name, level]) => [name, level === 'write' ? 'read' : level]),
  );
}

/** A fork's pull request runs without secrets and may only read; pull_request_target is the base's own. */
function isFromFork({ github }: WorkflowOptions, run: Run): boolean {
  const pull = run.payload['pull_request'] as { head?: { repo?: { full_name?: string } } } | undefined;
  const from = pull?.head?.repo?.full_name;
  return (
    run.event !== 'pull_request_target' &&
    from !== undefined &&
    from !== `${github.state.owner}/${github.state.repo}`
  );
}

/** `inputs` of a dispatch have the types of the file; `github.event.inputs` are text. */
function dispatchInputs(run: Run, content: Json): Json {
  const rules = (triggersOf(content)['workflow_dispatch']?.['inputs'] ?? {}) as Record<
    string,
    { type?: string } | null
  >;
  const given = (run.payload['inputs'] ?? {}) as Record<string, string>;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      rules[name]?.type === 'boolean'
        ? value === 'true'
        : rules[name]?.type === 'number'
          ? Number(value)
          : value,
    ]),
  );
}

function failToStart(engine: Engine, active: ActiveRun, errors: readonly string[]): void {
  active.run.message = errors.join('\n');
  closeRun(engine, active, 'startup_failure');
}

export function closeRun({ options }: Engine, active: ActiveRun, conclusion: string): void {
  const { run } = active;
  active.state = 'done';
  Object.assign(run, { status: 'completed', conclusion, updatedAt: options.github.state.now });
  active.release();
}
