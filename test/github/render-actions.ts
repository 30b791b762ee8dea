/** Runs, jobs and artifacts as GitHub's JSON. */
import type { Json } from './render.ts';
import { type Artifact, iso, type Job, type Run } from './state.ts';

export function actionsRenderer(
  api: string,
  html: string,
  node: (kind: string, id: number) => string,
  user: (login: string) => Json,
  repository: () => Json,
) {
  function run(one: Run): Json {
    const url = `${api}/actions/runs/${one.id}`;
    return {
      id: one.id,
      name: one.name,
      node_id: node('WFR', one.id),
      head_branch: one.headBranch,
      head_sha: one.headSha,
      path: one.workflow,
      display_title: one.name,
      run_number: one.number,
      run_attempt: one.attempt,
      event: one.event,
      status: one.status,
      conclusion: one.conclusion,
      workflow_id: workflowId(one.workflow),
      actor: user(one.actor),
      triggering_actor: user(one.actor),
      url,
      html_url: `${html}/actions/runs/${one.id}`,
      jobs_url: `${url}/jobs`,
      cancel_url: `${url}/cancel`,
      artifacts_url: `${url}/artifacts`,
      pull_requests: [],
      created_at: iso(one.createdAt),
      updated_at: iso(one.updatedAt),
      run_started_at: iso(one.createdAt),
      head_commit: null,
      repository: repository(),
      head_repository: repository(),
    };
  }

  function job(one: Job, run: Run): Json {
    return {
      id: one.id,
      node_id: node('CR', one.id),
      run_id: run.id,
      run_url: `${api}/actions/runs/${run.id}`,
      run_attempt: run.attempt,
      head_sha: run.headSha,
      head_branch: run.headBranch,
      workflow_name: run.name,
      name: one.name,
      url: `${api}/actions/jobs/${one.id}`,
      html_url: `${html}/actions/runs/${run.id}/job/${one.id}`,
      status: one.status,
      conclusion: one.conclusion,
      created_at: iso(one.startedAt),
      started_at: iso(one.startedAt),
      completed_at: one.completedAt === null ? null : iso(one.completedAt),
      labels: ['ubuntu-latest'],
    };
  }

  function artifact(one: Artifact): Json {
    return {
      id: one.id,
      node_id: node('A', one.id),
      name: one.name,
      size_in_bytes: one.zip.length,
      url: `${api}/actions/artifacts/${one.id}`,
      archive_download_url: `${api}/actions/artifacts/${one.id}/zip`,
      expired: one.expired,
      digest: `sha256:${one.digest}`,
      created_at: iso(one.createdAt),
      updated_at: iso(one.createdAt),
      expires_at: iso(one.createdAt + 90 * 86_400_000),
      workflow_run: { id: one.run },
    };
  }

  return { run, job, artifact };
}

export function workflowId(path: string): number {
  let hash = 7;
  for (const char of path) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return 100_000_000 + hash;
}
