import { notFound, refuse } from '../answers.ts';
import { renderCommit } from '../render-commit.ts';
import { baseShaOf, type Call, listed, noContent, ok, type Routes, text } from '../route.ts';
import { canWrite, effectiveRole, isPull, type Role } from '../state.ts';
import { repositoryDispatchPayload } from '../webhooks.ts';
import { by, emitOnDefault } from '../world.ts';

/** Maintain reads as write, triage as read: the old names. */
const permissionWords: Readonly<Record<Role, string>> = {
  admin: 'admin',
  maintain: 'write',
  write: 'write',
  triage: 'read',
  read: 'read',
  none: 'none',
};

async function branch(call: Call) {
  const name = call.params['branch'] ?? '';
  const sha = await call.data.commit(`refs/heads/${name}`);
  const [commit] = sha ? await call.data.log(sha, 1) : [];
  if (!commit) throw refuse(404, 'Branch not found');
  const isProtected = call.state.settings.protectedBranches.includes(name);
  const contexts = name === call.state.defaultBranch ? (call.state.settings.classicChecks ?? []) : [];
  const asked = {
    enabled: true,
    required_status_checks: { enforcement_level: 'non_admins', contexts, checks: [] },
  };
  return ok({
    name,
    commit: renderCommit(commit, call.render.api),
    protected: isProtected || contexts.length > 0,
    ...(contexts.length > 0 ? { protection: asked } : {}),
  });
}

async function compare(call: Call) {
  const [baseName = '', headName = ''] = (call.params['basehead'] ?? '').split('...');
  const base = await call.data.commit(baseName);
  const head = await call.data.commit(headName.replace(/^[^:]+:/, ''));
  const mergeBase = base && head ? await call.data.mergeBase(base, head) : null;
  if (!base || !head || !mergeBase) throw notFound();
  const ahead = await call.data.log(`${base}..${head}`);
  const behind = await call.data.log(`${head}..${base}`);
  const status =
    ahead.length && behind.length
      ? 'diverged'
      : ahead.length
        ? 'ahead'
        : behind.length
          ? 'behind'
          : 'identical';
  const [baseCommit, mergeCommit] = await Promise.all([call.data.log(base, 1), call.data.log(mergeBase, 1)]);
  const asJson = (commit: Parameters<typeof renderCommit>[0]) => renderCommit(commit, call.render.api);
  return ok({
    base_commit: baseCommit[0] && asJson(baseCommit[0]),
    merge_base_commit: mergeCommit[0] && asJson(mergeCommit[0]),
    status,
    ahead_by: ahead.length,
    behind_by: behind.length,
    total_commits: ahead.length,
    commits: [...ahead].reverse().map(asJson),
    files: (await call.data.files(mergeBase, head)).map(fileJson),
  });
}

export function fileJson(file: Awaited<ReturnType<Call['data']['files']>>[number]) {
  return {
    filename: file.path,
    status: file.status,
    sha: file.sha,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    ...(file.from ? { previous_filename: file.from } : {}),
  };
}

async function contents(call: Call) {
  const commit = await call.data.commit(call.query.get('ref') ?? call.state.defaultBranch);
  const path = (call.params['path'] ?? '').replace(/\/$/, '');
  if (!commit) throw refuse(404, `No commit found for the ref ${call.query.get('ref')}`);
  const [folder, name] = [path.split('/').slice(0, -1).join('/'), path.split('/').at(-1)];
  const entry = (await call.data.list(commit, folder)).find((one) => one.name === name);
  if (!entry) throw notFound();
  const describe = (one: typeof entry, at: string) => ({
    type: one.type === 'tree' ? 'dir' : 'file',
    name: one.name,
    path: at,
    sha: one.sha,
    size: 0,
    url: `${call.render.api}/contents/${at}`,
  });
  if (entry.type === 'tree')
    return ok((await call.data.list(commit, path)).map((one) => describe(one, `${path}/${one.name}`)));
  const data = (await call.data.file(commit, path)) ?? Buffer.alloc(0);
  const content = data.toString('base64').replace(/.{60}/g, '$&\n');
  return ok({ ...describe(entry, path), size: data.length, encoding: 'base64', content });
}

export const repositoryRoutes: Routes = {
  'repos/get': { needs: [], handle: (call) => ok(call.render.repository()) },
  'repos/get-collaborator-permission-level': {
    needs: [],
    handle({ state, params, render }) {
      const login = params['username'] ?? '';
      if (!state.users[login]) throw notFound();
      const role = effectiveRole(state, login);
      return ok({
        permission: permissionWords[role],
        role_name: role,
        user: { ...render.user(login), permissions: { push: canWrite(state, login) }, role_name: role },
      });
    },
  },
  'repos/list-branches': {
    needs: ['contents:read'],
    async handle({ data, state }) {
      const refs = [...(await data.refs())].filter(([ref]) => ref.startsWith('refs/heads/'));
      return listed(
        refs.map(([ref, sha]) => ({
          name: ref.slice(11),
          commit: { sha },
          protected: state.settings.protectedBranches.includes(ref.slice(11)),
        })),
      );
    },
  },
  'repos/get-branch': { needs: ['contents:read'], handle: branch },
  'repos/get-branch-protection': {
    needs: ['administration:read'],
    handle({ state, params }) {
      const isProtected = state.settings.protectedBranches.includes(params['branch'] ?? '');
      if (!isProtected) throw refuse(404, 'Branch not protected');
      return ok({});
    },
  },
  'repos/get-branch-rules': {
    needs: [],
    handle({ state, params }) {
      const { protectedBranches, requiredChecks = [] } = state.settings;
      const set = { ruleset_source_type: 'Repository', ruleset_id: 1 };
      const isDefault = params['branch'] === state.defaultBranch && requiredChecks.length > 0;
      const required_status_checks = requiredChecks.map((context) => ({ context }));
      const parameters = { strict_required_status_checks_policy: false, required_status_checks };
      const { mergeQueue, linearHistory, approvals } = state.settings;
      const isHere = params['branch'] === state.defaultBranch;
      const review = {
        dismiss_stale_reviews_on_push: false,
        require_code_owner_review: false,
        require_last_push_approval: false,
        required_approving_review_count: approvals ?? 0,
        required_review_thread_resolution: false,
      };
      return listed([
        ...(isHere && mergeQueue ? [{ type: 'merge_queue', ...set }] : []),
        ...(isHere && linearHistory ? [{ type: 'required_linear_history', ...set }] : []),
        ...(isHere && approvals ? [{ type: 'pull_request', parameters: review, ...set }] : []),
        ...(protectedBranches.includes(params['branch'] ?? '') ? [{ type: 'non_fast_forward', ...set }] : []),
        ...(isDefault ? [{ type: 'required_status_checks', parameters, ...set }] : []),
      ]);
    },
  },
  'repos/get-repo-rulesets': { needs: [], handle: () => listed([]) },
  'repos/compare-commits-with-basehead': { needs: ['contents:read'], handle: compare },
  'repos/get-content': { needs: ['contents:read'], handle: contents },
  'repos/get-commit': {
    needs: ['contents:read'],
    async handle(call) {
      const sha = await call.data.commit(call.params['ref'] ?? '');
      const [commit] = sha ? await call.data.log(sha, 1) : [];
      if (!commit) throw refuse(422, `No commit found for SHA: ${call.params['ref']}`);
      return ok(renderCommit(commit, call.render.api));
    },
  },
  'git/get-commit': {
    needs: ['contents:read'],
    async handle(call) {
      const [commit] = (await call.data.exists(call.params['commit_sha'] ?? ''))
        ? await call.data.log(call.params['commit_sha'] ?? '', 1)
        : [];
      if (!commit) throw notFound();
      const { commit: facts, parents } = renderCommit(commit, call.render.api) as {
        commit: Record<string, unknown>;
        parents: unknown;
      };
      return ok({ sha: commit.sha, ...facts, parents });
    },
  },
  // A job's token is nobody: GitHub does not tell it who it is.
  'users/get-authenticated': {
    needs: ['user:read'],
    handle: (call) => ok(call.render.user(call.token.login)),
  },
  'repos/list-pull-requests-associated-with-commit': {
    needs: ['pull_requests:read'],
    async handle(call) {
      const sha = call.params['commit_sha'];
      const pulls = call.state.issues
        .filter(isPull)
        .filter((one) => [one.pull.head.sha, one.pull.mergeCommit].includes(sha ?? ''));
      return listed(
        await Promise.all(pulls.map(async (one) => call.render.pull(one, await baseShaOf(call, one)))),
      );
    },
  },
  'repos/create-dispatch-event': {
    needs: ['contents:write'],
    async handle(call) {
      const payload = call.body['client_payload'];
      if (JSON.stringify(payload ?? {}).length > 65_535) throw refuse(422, 'client_payload is too large.');
      const { world, state, token } = call;
      const event = repositoryDispatchPayload(
        call.render,
        text(call.body, 'event_type'),
        state.defaultBranch,
        payload,
        token.login,
      );
      await emitOnDefault(world, 'repository_dispatch', event, by(token));
      return noContent;
    },
  },
};
