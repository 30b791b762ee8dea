import { notFound, refuse } from '../answers.ts';
import { asText } from '../expressions.ts';
import type { Json } from '../render.ts';
import { workflowId } from '../render-actions.ts';
import { type Call, created, listed, noContent, ok, type Routes, text } from '../route.ts';
import { type Artifact, type Run } from '../state.ts';
import { addRun, nameOf, readWorkflows, triggersOf, type WorkflowFile } from '../triggers.ts';
import { workflowDispatchPayload } from '../webhooks.ts';
import { by } from '../world.ts';

const isWorkflow = (wanted: string) => (file: WorkflowFile) =>
  file.path === wanted || file.path.split('/').at(-1) === wanted || String(workflowId(file.path)) === wanted;

async function workflowOf(call: Call): Promise<WorkflowFile> {
  const main = await call.data.commit(`refs/heads/${call.state.defaultBranch}`);
  const files = main ? await readWorkflows(call.data, main) : [];
  const file = files.find(isWorkflow(call.params['workflow_id'] ?? ''));
  if (!file) throw notFound();
  return file;
}

function workflowJson(call: Call, file: WorkflowFile): Json {
  return {
    id: workflowId(file.path),
    name: nameOf(file),
    path: file.path,
    state: 'active',
    url: `${call.render.api}/actions/workflows/${workflowId(file.path)}`,
  };
}

interface InputRule {
  readonly required?: boolean;
  readonly default?: unknown;
  readonly type?: string;
  readonly options?: readonly string[];
}

/** Inputs against the file at the ref that will run, as GitHub checks them. */
function checkInputs(rules: Record<string, InputRule>, given: Json): Json {
  const unexpected = Object.keys(given).filter((name) => !(name in rules));
  if (unexpected.length > 0) throw refuse(422, `Unexpected inputs provided: ${JSON.stringify(unexpected)}`);
  const inputs: Json = {};
  for (const [name, rule] of Object.entries(rules ?? {})) {
    const value = asText(given[name] ?? rule?.default);
    if (rule?.required && value === '') throw refuse(422, `Required input '${name}' not provided`);
    if (rule?.type === 'choice' && value !== '' && !rule.options?.includes(value))
      throw refuse(422, `Provided value '${value}' for input '${name}' not in the list of allowed values`);
    inputs[name] = value;
  }
  return inputs;
}

async function dispatch(call: Call) {
  const { data, world, body, token, render } = call;
  const { path } = await workflowOf(call);
  const given = (body['inputs'] ?? {}) as Json;
  for (const [name, value] of Object.entries(given))
    if (typeof value !== 'string')
      world.violations.push(`dispatch input ${name} is no string: ${JSON.stringify(value)}`);
  if (JSON.stringify(given).length > 65_535) throw refuse(422, 'inputs are too large.');
  const name = text(body, 'ref').replace(/^refs\/heads\//, '');
  const sha = (await data.commit(`refs/heads/${name}`)) ?? (await data.commit(`refs/tags/${name}`));
  if (!sha) throw refuse(422, `No ref found for: ${name}`);
  const file = (await readWorkflows(data, sha)).find((one) => one.path === path);
  const trigger = file && triggersOf(file.content)['workflow_dispatch'];
  if (!file || !trigger) throw refuse(422, "Workflow does not have 'workflow_dispatch' trigger");
  const inputs = checkInputs((trigger['inputs'] ?? {}) as Record<string, InputRule>, given);
  const payload = workflowDispatchPayload(render, `refs/heads/${name}`, path, inputs, token.login);
  const event = { name: 'workflow_dispatch', payload, by: by(token), ref: `refs/heads/${name}`, sha };
  call.state.events.push(event);
  const run = addRun(world, file, event);
  if (body['return_run_details'] !== true) return noContent;
  return ok({
    workflow_run_id: run.id,
    run_url: `${render.api}/actions/runs/${run.id}`,
    html_url: `${render.html}/actions/runs/${run.id}`,
  });
}

function runOf(call: Call): Run {
  const run = call.state.runs.find((one) => one.id === Number(call.params['run_id']));
  if (!run) throw notFound();
  return run;
}

function runs(call: Call, list: readonly Run[]) {
  const { query, render } = call;
  const is = (key: string, value: string) => !query.get(key) || query.get(key) === value;
  const found = list
    .filter(
      (run) =>
        is('branch', run.headBranch) &&
        is('event', run.event) &&
        is('actor', run.actor) &&
        is('head_sha', run.headSha),
    )
    .filter((run) => !query.get('status') || [run.status, run.conclusion].includes(query.get('status')))
    .toReversed();
  return listed(
    found.map((run) => render.run(run)),
    'workflow_runs',
  );
}

/** A job that waits for its group reads `pending`, one that runs `in_progress`. */
function jobs(call: Call) {
  const run = runOf(call);
  return listed(
    run.jobs.map((job) => call.render.job(job, run)),
    'jobs',
  );
}

function cancel(call: Call) {
  const run = runOf(call);
  if (run.status === 'completed') throw refuse(409, 'Cannot cancel a workflow run that is completed.');
  run.conclusion = 'cancelled';
  if (run.status === 'queued' || run.status === 'pending') run.status = 'completed';
  run.updatedAt = call.state.now;
  return { status: 202, body: {} };
}

/** Earlier attempts are over; how they ended is not kept. */
function attempt(call: Call) {
  const run = runOf(call);
  const wanted = Number(call.params['attempt_number']);
  if (wanted > run.attempt) throw notFound();
  const past = { ...run, attempt: wanted, status: 'completed' as const, conclusion: 'failure' };
  return ok(call.render.run(wanted < run.attempt ? past : run));
}

function job(call: Call) {
  for (const run of call.state.runs) {
    const found = run.jobs.find((one) => one.id === Number(call.params['job_id']));
    if (found) return ok(call.render.job(found, run));
  }
  throw notFound();
}

/** Of 30 days, and 50 times (docs, re-running workflows and jobs; limits). A job that runs again has a new id. */
function rerun(call: Call, onlyFailed = false) {
  const run = runOf(call);
  if (run.status !== 'completed') throw refuse(403, 'This workflow is already running');
  if (call.state.now - run.createdAt > 30 * 86_400_000)
    throw refuse(403, 'Unable to retry this workflow run because it was created over a month ago');
  if (onlyFailed && run.jobs.every(({ conclusion }) => conclusion === 'success'))
    throw refuse(403, 'This workflow run has no failed jobs');
  Object.assign(run, {
    status: 'queued',
    conclusion: null,
    attempt: run.attempt + 1,
    jobs: [],
    message: null,
  });
  return created({});
}

/** A minute's address on a host of another name, as GitHub keeps logs elsewhere (REST, download job logs). */
function jobLog(call: Call) {
  const id = Number(call.params['job_id']);
  const found = call.state.runs.flatMap((run) => run.jobs).find((one) => one.id === id);
  if (found?.status !== 'completed') throw notFound();
  const host = call.world.urls.api.replace('127.0.0.1', 'localhost');
  return { status: 302, headers: { location: `${host}/_signed/logs/${id}?sig=log${id}` } };
}

function artifacts(call: Call, list: readonly Artifact[]) {
  const name = call.query.get('name');
  const found = list.filter((one) => !name || one.name === name).toReversed();
  return listed(
    found.map((one) => call.render.artifact(one)),
    'artifacts',
  );
}

function artifactOf(call: Call): Artifact {
  const found = call.state.artifacts.find((one) => one.id === Number(call.params['artifact_id']));
  if (!found) throw notFound();
  return found;
}

const read = ['actions:read'];
const write = ['actions:write'];

export const actionRoutes: Routes = {
  'actions/get-github-actions-default-workflow-permissions-repository': {
    needs: ['administration:read'],
    handle: ({ state }) =>
      ok({
        default_workflow_permissions: state.settings.defaultPermissions,
        can_approve_pull_request_reviews: state.settings.actionsMayOpenPulls,
      }),
  },
  'actions/list-repo-workflows': {
    needs: read,
    async handle(call) {
      const main = await call.data.commit(`refs/heads/${call.state.defaultBranch}`);
      const files = main ? await readWorkflows(call.data, main) : [];
      return listed(
        files.map((file) => workflowJson(call, file)),
        'workflows',
      );
    },
  },
  'actions/get-workflow': {
    needs: read,
    handle: async (call) => ok(workflowJson(call, await workflowOf(call))),
  },
  'actions/list-workflow-runs': {
    needs: read,
    async handle(call) {
      const { path } = await workflowOf(call);
      return runs(
        call,
        call.state.runs.filter((run) => run.workflow === path),
      );
    },
  },
  'actions/create-workflow-dispatch': { needs: write, handle: dispatch },
  'actions/list-workflow-runs-for-repo': { needs: read, handle: (call) => runs(call, call.state.runs) },
  'actions/get-workflow-run': { needs: read, handle: (call) => ok(call.render.run(runOf(call))) },
  'actions/get-workflow-run-attempt': { needs: read, handle: attempt },
  'actions/list-jobs-for-workflow-run': { needs: read, handle: jobs },
  'actions/get-job-for-workflow-run': { needs: read, handle: job },
  'actions/re-run-workflow': { needs: write, handle: (call) => rerun(call) },
  // Those that passed are played again too, which gives the same.
  'actions/re-run-workflow-failed-jobs': { needs: write, handle: (call) => rerun(call, true) },
  'actions/download-job-logs-for-workflow-run': { needs: read, handle: jobLog },
  'actions/cancel-workflow-run': { needs: write, handle: cancel },
  'actions/approve-workflow-run': {
    needs: write,
    handle(call) {
      const run = runOf(call);
      if (run.conclusion !== 'action_required') throw refuse(403, 'This run is not waiting for approval.');
      Object.assign(run, { status: 'queued', conclusion: null });
      return created({});
    },
  },
  'actions/list-workflow-run-artifacts': {
    needs: read,
    handle: (call) =>
      artifacts(
        call,
        call.state.artifacts.filter((one) => one.run === runOf(call).id),
      ),
  },
  'actions/list-artifacts-for-repo': { needs: read, handle: (call) => artifacts(call, call.state.artifacts) },
  'actions/get-artifact': { needs: read, handle: (call) => ok(call.render.artifact(artifactOf(call))) },
  'actions/download-artifact': {
    needs: read,
    handle(call) {
      const artifact = artifactOf(call);
      if (artifact.expired) throw refuse(410, 'Artifact has expired');
      if (call.params['archive_format'] !== 'zip') throw notFound();
      return {
        status: 302,
        headers: {
          location: `${call.world.urls.api}/_signed/artifacts/${artifact.id}?sig=${artifact.digest.slice(0, 16)}`,
        },
      };
    },
  },
};
