import { refuse } from '../answers.ts';
import { checksOn } from '../checks.ts';
import { type Call, created, listed, ok, type Routes, text } from '../route.ts';
import { type Status, takeId } from '../state.ts';

async function shaOf(call: Call): Promise<string> {
  const sha = await call.data.commit(call.params['ref'] ?? '');
  if (!sha) throw refuse(422, `No commit found for SHA: ${call.params['ref']}`);
  return sha;
}

/** Newest first, one for each context. */
function latest(call: Call, sha: string): Status[] {
  const all = call.state.statuses.filter((one) => one.sha === sha).reverse();
  return all.filter((one, at) => all.findIndex((other) => other.context === one.context) === at);
}

function combined(statuses: readonly Status[]): string {
  if (statuses.some((one) => one.state === 'error' || one.state === 'failure')) return 'failure';
  return statuses.length === 0 || statuses.some((one) => one.state === 'pending') ? 'pending' : 'success';
}

async function create(call: Call) {
  const { state, token, body, params } = call;
  const sha = params['sha'] ?? '';
  if (!/^[0-9a-f]{40}$/.test(sha) || !(await call.data.exists(sha)))
    throw refuse(422, `No commit found for SHA: ${sha}`);
  const context = text(body, 'context') || 'default';
  const description = typeof body['description'] === 'string' ? body['description'] : null;
  if (description !== null && description.length > 140)
    throw refuse(422, 'Validation Failed', [
      {
        resource: 'Status',
        code: 'custom',
        field: 'description',
        message: 'description is too long (maximum is 140 characters)',
      },
    ]);
  const same = state.statuses.filter((one) => one.sha === sha && one.context === context);
  if (same.length >= 1000)
    throw refuse(422, 'Validation Failed', [
      {
        resource: 'Status',
        code: 'custom',
        message: 'This SHA and context has reached the maximum number of statuses.',
      },
    ]);
  const status: Status = {
    id: takeId(state),
    sha,
    context,
    state: text(body, 'state') as Status['state'],
    description,
    targetUrl: text(body, 'target_url') || null,
    creator: token.login,
    createdAt: state.now,
  };
  state.statuses.push(status);
  return created(call.render.status(status));
}

export const statusRoutes: Routes = {
  'repos/create-commit-status': { needs: ['statuses:write'], handle: create },
  'repos/get-combined-status-for-ref': {
    needs: ['statuses:read'],
    async handle(call) {
      const sha = await shaOf(call);
      const statuses = latest(call, sha);
      return ok({
        state: combined(statuses),
        sha,
        total_count: statuses.length,
        statuses: statuses.map((one) => ({ ...call.render.status(one), creator: undefined })),
        repository: call.render.repository(),
      });
    },
  },
  'repos/list-commit-statuses-for-ref': {
    needs: ['statuses:read'],
    async handle(call) {
      const sha = await shaOf(call);
      return listed(
        call.state.statuses
          .filter((one) => one.sha === sha)
          .reverse()
          .map((one) => call.render.status(one)),
      );
    },
  },
  'checks/list-for-ref': {
    needs: ['checks:read'],
    async handle(call) {
      const sha = await shaOf(call);
      const name = call.query.get('check_name');
      const runs = checksOn(call.state, sha).filter(({ job }) => !name || job.name === name);
      return listed(
        runs.map(({ job: { id, name, status, conclusion } }) => ({
          id,
          head_sha: sha,
          name,
          status,
          conclusion,
        })),
        'check_runs',
      );
    },
  },
};
