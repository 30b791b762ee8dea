/** The contexts that expressions see. */
import type { JobFacts } from './runner.ts';
import type { JobInstance, Json, Scope, WorkflowOptions } from './workflow-types.ts';

export function githubContext(scope: Scope, options: WorkflowOptions, more: Json = {}): Json {
  const { github } = options;
  const { run } = scope.active;
  const { owner, repo } = github.state;
  const pull = run.payload['pull_request'] as
    | { head?: { ref?: string }; base?: { ref?: string } }
    | undefined;
  return {
    event: run.payload,
    event_name: run.event,
    ref: run.ref,
    ref_name: run.ref.replace(/^refs\/(heads|tags|pull)\//, ''),
    ref_type: run.ref.startsWith('refs/tags/') ? 'tag' : 'branch',
    sha: run.headSha,
    head_ref: pull?.head?.ref ?? '',
    base_ref: pull?.base?.ref ?? '',
    actor: run.actor,
    triggering_actor: run.actor,
    repository: `${owner}/${repo}`,
    repository_owner: owner,
    repository_id: '424242',
    repositoryUrl: `git://github.com/${owner}/${repo}.git`,
    run_id: String(run.id),
    run_number: String(run.number),
    run_attempt: String(run.attempt),
    workflow: run.name,
    workflow_ref: `${owner}/${repo}/${run.workflow}@${run.ref}`,
    workflow_sha: run.headSha,
    api_url: github.apiUrl,
    graphql_url: github.graphqlUrl,
    server_url: github.serverUrl,
    retention_days: '90',
    ...more,
  };
}

/** For a job's `if`, `strategy`, `concurrency`, `with` and name. */
export function jobContexts(
  scope: Scope,
  needs: readonly string[],
  options: WorkflowOptions,
  more: Json = {},
): Json {
  return {
    github: githubContext(scope, options),
    vars: options.variables ?? {},
    inputs: scope.inputs,
    needs: needsContext(scope, needs),
    ...more,
  };
}

function needsContext(scope: Scope, needs: readonly string[]): Json {
  return Object.fromEntries(
    needs.map((id) => {
      const group = scope.groups.get(id);
      return [id, { result: group?.result ?? 'skipped', outputs: group?.outputs ?? {} }];
    }),
  );
}

export function strategyContext(instance: JobInstance): Json {
  const strategy = instance.group.definition.strategy ?? {};
  return {
    'fail-fast': strategy['fail-fast'] !== false,
    'job-index': instance.index,
    'job-total': instance.total,
    'max-parallel': strategy['max-parallel'] ?? instance.total,
  };
}

export function jobFacts(scope: Scope, id: string, workspace: string, temp: string): JobFacts {
  const { run } = scope.active;
  return {
    event: run.event,
    payload: run.payload,
    actor: run.actor,
    ref: run.ref,
    sha: run.headSha,
    workflow: run.name,
    job: id,
    runId: run.id,
    runNumber: run.number,
    attempt: run.attempt,
    workspace,
    temp,
    workflowPath: run.workflow,
  };
}
