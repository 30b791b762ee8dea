import { checkBody, checkName, invalid, notFound, pullsNotPermitted, refuse } from '../answers.ts';
import { renderCommit } from '../render-commit.ts';
import {
  baseShaOf,
  type Call,
  checkOwnWords,
  created,
  listed,
  ok,
  pullOf,
  type Routes,
  renderPull,
  text,
} from '../route.ts';
import { isPull, nextNumber, type PullIssue, takeId, tell } from '../state.ts';
import { by, closePull, emitPull } from '../world.ts';
import { fileJson } from './repository.ts';

async function detail(call: Call, pull: PullIssue) {
  const { data, render } = call;
  const baseSha = await baseShaOf(call, pull);
  const head = pull.pull.head.sha;
  const from = (await data.mergeBase(baseSha, head)) ?? baseSha;
  const files = await data.files(from, head);
  const sum = (key: 'additions' | 'deletions') => files.reduce((total, file) => total + file[key], 0);
  const counts = {
    commits: (await data.log(`${baseSha}..${head}`)).length,
    additions: sum('additions'),
    deletions: sum('deletions'),
    changed_files: files.length,
    ...(await mergeability(call, pull, baseSha)),
  };
  return render.pullDetail(pull, baseSha, counts);
}

/** Worked out lazily: the first to ask is told null. */
async function mergeability(call: Call, pull: PullIssue, baseSha: string) {
  const key = `${baseSha}..${pull.pull.head.sha}`;
  if (pull.state === 'closed') return { mergeable: null, mergeable_state: 'unknown' };
  if (pull.pull.mergeableAskedFor !== key) {
    pull.pull.mergeableAskedFor = key;
    return { mergeable: null, mergeable_state: 'unknown' };
  }
  const clean = (await call.data.mergeTree(baseSha, pull.pull.head.sha)) !== null;
  return { mergeable: clean, mergeable_state: clean ? (pull.pull.draft ? 'draft' : 'clean') : 'dirty' };
}

async function list(call: Call) {
  const { state, query } = call;
  const wanted = query.get('state') ?? 'open';
  const head = query.get('head');
  const base = query.get('base');
  const pulls = state.issues
    .filter(isPull)
    .filter((one) => wanted === 'all' || one.state === wanted)
    // GitHub ignores a `head` without an owner, and answers with everything.
    .filter(
      (one) => !head?.includes(':') || `${one.pull.head.repo.split('/')[0]}:${one.pull.head.ref}` === head,
    )
    .filter((one) => !base || one.pull.base === base);
  if (head && !head.includes(':'))
    call.world.violations.push(`GET pulls?head=${head}: GitHub ignores a head without owner:`);
  const key = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  const sign =
    (query.get('direction') ??
      (['updated', 'popularity', 'long-running'].includes(query.get('sort') ?? '') ? 'asc' : 'desc')) ===
    'asc'
      ? 1
      : -1;
  pulls.sort((a, b) => sign * (a[key] - b[key] || a.number - b.number));
  return listed(await Promise.all(pulls.map((one) => renderPull(call, one))));
}

async function create(call: Call) {
  const { state, data, body, token } = call;
  if (token.kind === 'actions' && !state.settings.actionsMayOpenPulls) throw pullsNotPermitted();
  const full = `${state.owner}/${state.repo}`;
  const [ref, base] = [text(body, 'head').replace(`${state.owner}:`, ''), text(body, 'base')];
  const [head, baseSha] = [await data.commit(`refs/heads/${ref}`), await data.commit(`refs/heads/${base}`)];
  if (!text(body, 'title') && body['issue'] === undefined)
    throw invalid('PullRequest', 'title is missing', 'missing_field', 'title');
  if (!head) throw invalid('PullRequest', 'head is invalid', 'invalid', 'head');
  if (!baseSha) throw invalid('PullRequest', 'base is invalid', 'invalid', 'base');
  checkBody('issue', body['body']);
  checkName('PullRequest', body['title']);
  const double = state.issues
    .filter(isPull)
    .find((one) => one.state === 'open' && one.pull.head.ref === ref && one.pull.base === base);
  if (double) throw invalid('PullRequest', `A pull request already exists for ${state.owner}:${ref}.`);
  if (await data.contains(baseSha, head))
    throw invalid('PullRequest', `No commits between ${base} and ${ref}`);
  const pull: PullIssue = {
    ...blankIssue(call, text(body, 'title'), text(body, 'body') || null),
    pull: blankPull(base, { ref, repo: full, sha: head }, body['draft'] === true),
  };
  state.issues.push(pull);
  await data.git.run(['update-ref', `refs/pull/${pull.number}/head`, head]);
  await emitPull(call.world, 'opened', pull, by(token));
  const answer = created(await detail(call, pull));
  pull.pull.mergeableAskedFor = '';
  return answer;
}

export function blankIssue(
  { state, token }: Pick<Call, 'state' | 'token'>,
  title: string,
  body: string | null,
) {
  return {
    id: takeId(state),
    number: nextNumber(state),
    title,
    body,
    author: token.login,
    state: 'open' as const,
    stateReason: null,
    labels: [],
    assignees: [],
    createdAt: state.now,
    updatedAt: state.now,
    closedAt: null,
    closedBy: null,
    edits: [],
    locked: false,
    pull: null,
    milestone: null,
    parent: null,
    blockedBy: [],
  };
}

export function blankPull(base: string, head: PullIssue['pull']['head'], draft: boolean): PullIssue['pull'] {
  return {
    base,
    head,
    draft,
    merged: false,
    mergedAt: null,
    mergedBy: null,
    mergeCommit: null,
    requestedReviewers: [],
    mergeableAskedFor: '',
  };
}

export async function updatePull(call: Call) {
  const { body, world, token, state } = call;
  const pull = pullOf(call);
  const changes: Record<string, unknown> = {};
  if (['title', 'body', 'base'].some((key) => key in body)) checkOwnWords(call, pull.author);
  checkBody('issue', body['body']);
  checkName('PullRequest', body['title']);
  if (typeof body['base'] === 'string' && body['base'] !== pull.pull.base) {
    if (pull.state === 'closed')
      throw invalid('PullRequest', 'Cannot change the base branch of a closed pull request.');
    if (!(await call.data.commit(`refs/heads/${body['base']}`)))
      throw invalid('PullRequest', 'Proposed base branch does not exist', 'invalid', 'base');
    await checkNewCommits(call, pull, body['base']);
    changes['base'] = { ref: { from: pull.pull.base } };
    pull.pull.base = body['base'];
    tell(state, pull.number, 'base_ref_changed', token.login);
  }
  if (typeof body['title'] === 'string' && body['title'] !== pull.title) {
    changes['title'] = { from: pull.title };
    pull.title = body['title'];
  }
  if (typeof body['body'] === 'string' && body['body'] !== pull.body) {
    changes['body'] = { from: pull.body ?? '' };
    pull.edits.push({ editor: token.login, at: state.now, from: pull.body ?? '' });
    pull.body = body['body'];
  }
  pull.updatedAt = state.now;
  if (Object.keys(changes).length > 0) await emitPull(world, 'edited', pull, by(token), changes);
  await changeState(call, pull);
  return ok(await detail(call, pull));
}

async function checkNewCommits({ data }: Call, pull: PullIssue, base: string): Promise<void> {
  if (!(await data.contains(`refs/heads/${base}`, pull.pull.head.sha))) return;
  const { ref } = pull.pull.head;
  throw invalid(
    'PullRequest',
    `There are no new commits between base branch '${base}' and head branch '${ref}'`,
  );
}

async function changeState(call: Call, pull: PullIssue): Promise<void> {
  const { body, world, token } = call;
  if (body['state'] === 'closed' && pull.state === 'open') await closePull(world, pull, by(token));
  if (body['state'] !== 'open' || pull.state === 'open') return;
  if (pull.pull.merged) throw invalid('PullRequest', 'Cannot reopen a merged pull request.');
  const head = await call.data.commit(`refs/heads/${pull.pull.head.ref}`);
  if (!head)
    throw invalid(
      'PullRequest',
      `state cannot be changed. The ${pull.pull.head.ref} branch has been deleted.`,
      'custom',
      'state',
    );
  Object.assign(pull, { state: 'open', closedAt: null, closedBy: null });
  pull.pull.head.sha = head;
  tell(call.state, pull.number, 'reopened', token.login);
  await emitPull(world, 'reopened', pull, by(token));
}

export const pullRoutes: Routes = {
  'pulls/list': { needs: ['pull_requests:read'], handle: list },
  'pulls/create': { needs: ['pull_requests:write'], creates: true, handle: create },
  'pulls/get': {
    needs: ['pull_requests:read'],
    handle: async (call) => ok(await detail(call, pullOf(call))),
  },
  'pulls/update': { needs: ['pull_requests:write'], handle: updatePull },
  'pulls/list-files': {
    needs: ['pull_requests:read'],
    async handle(call) {
      const pull = pullOf(call);
      const from = await call.data.mergeBase(await baseShaOf(call, pull), pull.pull.head.sha);
      if (!from) throw notFound();
      const files = await call.data.files(from, pull.pull.head.sha);
      const withPatch = files.slice(0, 3000).map(async (file) => ({
        ...fileJson(file),
        patch: await call.data.patch(from, pull.pull.head.sha, file.path),
      }));
      return listed(await Promise.all(withPatch));
    },
  },
  'pulls/list-commits': {
    needs: ['pull_requests:read'],
    async handle(call) {
      const pull = pullOf(call);
      const commits = await call.data.log(`${await baseShaOf(call, pull)}..${pull.pull.head.sha}`);
      return listed([...commits].reverse().map((one) => renderCommit(one, call.render.api)));
    },
  },
  'pulls/request-reviewers': {
    needs: ['pull_requests:write'],
    async handle(call) {
      const pull = pullOf(call);
      const wanted = (call.body['reviewers'] ?? []) as string[];
      if (wanted.includes(pull.author)) throw unprocessableReviewer();
      if (wanted.some((login) => (call.state.roles[login] ?? 'none') === 'none'))
        throw refuse(
          422,
          'Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the olive/demo repository.',
        );
      pull.pull.requestedReviewers = [...new Set([...pull.pull.requestedReviewers, ...wanted])];
      return created(await renderPull(call, pull));
    },
  },
};

const unprocessableReviewer = () => refuse(422, 'Review cannot be requested from pull request author.');
