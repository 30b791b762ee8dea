import { checkBody, checkName, invalid, notAccessible, notFound, refuse } from '../answers.ts';
import { fill } from '../openapi/fill.ts';
import {
  type Call,
  checkOwnWords,
  created,
  issueOf,
  listed,
  noContent,
  ok,
  type Routes,
  text,
} from '../route.ts';
import { type Comment, canWrite, effectiveRole, findPull, type Issue, iso, takeId, tell } from '../state.ts';
import { issueCommentPayload, issuePayload } from '../webhooks.ts';
import { by, closePull, emitOnDefault, emitPull } from '../world.ts';
import { blankIssue } from './pulls.ts';

const read = ['issues:read', 'pull_requests:read'];
const write = ['issues:write', 'pull_requests:write'];

/** A pull request's labels and comments may be written with either permission, an issue's only with issues. */
function checkKind(call: Call, issue: Issue): void {
  const { permissions, kind } = call.token;
  if (kind !== 'user' && !issue.pull && permissions['issues'] !== 'write')
    throw notAccessible(['issues:write']);
}

const names = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).map((one) =>
    typeof one === 'string' ? one : String((one as { name?: unknown }).name),
  );

/** From the role triage on (docs, organizations/managing-user-access/repository-roles, "Apply/dismiss labels"). */
function mayLabel({ token, state }: Call): void {
  if (token.kind === 'user' && ['read', 'none'].includes(effectiveRole(state, token.login)))
    throw refuse(403, 'Must have triage rights to Repository.');
}

/** Each is an event of its own; a pull request's starts workflows of pull requests. */
async function addLabels(call: Call, issue: Issue, labels: readonly string[]): Promise<void> {
  for (const name of labels) {
    checkName('Label', name);
    const known = call.state.labels.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (!known) call.state.labels.push({ id: takeId(call.state), name, color: 'ededed', description: null });
    const label = known?.name ?? name;
    if (issue.labels.includes(label)) continue;
    issue.labels.push(label);
    await tellLabel(call, issue, 'labeled', label);
  }
}

async function tellLabel(call: Call, issue: Issue, event: 'labeled' | 'unlabeled', label: string) {
  const { state, token, world, render } = call;
  tell(state, issue.number, event, token.login, null, { label });
  issue.updatedAt = state.now;
  const pull = findPull(state, issue.number);
  if (pull) return emitPull(world, event, pull, by(token));
  const payload = { ...issuePayload(render, event, issue, token.login), label: render.label(label) };
  return emitOnDefault(world, 'issues', payload, by(token));
}

async function removeLabels(call: Call, issue: Issue, gone: readonly string[]): Promise<void> {
  issue.labels = issue.labels.filter((one) => !gone.includes(one));
  for (const label of gone) await tellLabel(call, issue, 'unlabeled', label);
}

function list(call: Call) {
  const { state, query } = call;
  const wanted = query.get('state') ?? 'open';
  const labels = (query.get('labels') ?? '').split(',').filter(Boolean);
  const from = Date.parse(query.get('since') ?? '') || 0;
  const creator = query.get('creator');
  const issues = state.issues
    .filter((one) => wanted === 'all' || one.state === wanted)
    .filter((one) => labels.every((label) => one.labels.includes(label)))
    .filter((one) => !creator || one.author === creator)
    .filter((one) => one.updatedAt >= from);
  const key = query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  const sign = query.get('direction') === 'asc' ? 1 : -1;
  issues.sort((a, b) => sign * (a[key] - b[key] || a.number - b.number));
  return listed(issues.map((one) => call.render.issue(one)));
}

function putInto({ body, state }: Call, issue: Issue): void {
  const { milestone } = body;
  if (milestone === undefined) return;
  if (milestone !== null && !state.milestones.some(({ number }) => number === Number(milestone)))
    throw invalid('Issue', 'milestone is invalid', 'invalid', 'milestone');
  issue.milestone = milestone === null ? null : Number(milestone);
}

async function create(call: Call) {
  const { body, state, token, world } = call;
  checkBody('issue', body['body']);
  checkName('Issue', body['title']);
  const issue: Issue = blankIssue(call, String(body['title']), text(body, 'body') || null);
  const mayAll = token.kind !== 'user' || canWrite(state, token.login);
  if (mayAll) {
    issue.assignees.push(...names(body['assignees']));
    putInto(call, issue);
  }
  state.issues.push(issue);
  await emitOnDefault(world, 'issues', issuePayload(call.render, 'opened', issue, token.login), by(token));
  if (mayAll) await addLabels(call, issue, names(body['labels']));
  return created(call.render.issue(issue));
}

async function update(call: Call) {
  const { body, state, token } = call;
  const issue = issueOf(call);
  checkKind(call, issue);
  checkBody('issue', body['body']);
  checkName('Issue', body['title']);
  const changes: Record<string, unknown> = {};
  if (body['title'] !== undefined || body['body'] !== undefined) checkOwnWords(call, issue.author);
  if (body['title'] !== undefined && body['title'] !== issue.title) {
    changes['title'] = { from: issue.title };
    issue.title = text(body, 'title');
    tell(state, issue.number, 'renamed', token.login);
  }
  if (body['body'] !== undefined && body['body'] !== issue.body) {
    changes['body'] = { from: issue.body ?? '' };
    issue.edits.push({ editor: token.login, at: state.now, from: issue.body ?? '' });
    issue.body = body['body'] === null ? null : text(body, 'body');
  }
  if (body['labels'] !== undefined) {
    const wanted = names(body['labels']);
    await removeLabels(
      call,
      issue,
      issue.labels.filter((one) => !wanted.includes(one)),
    );
    await addLabels(call, issue, wanted);
  }
  putInto(call, issue);
  issue.updatedAt = state.now;
  await announce(call, issue, changes);
  if (body['state'] === 'closed' && issue.state === 'open') await close(call, issue);
  else if (body['state'] === 'open' && !issue.pull)
    Object.assign(issue, { state: 'open', stateReason: 'reopened', closedAt: null, closedBy: null });
  return ok(call.render.issue(issue));
}

async function announce(call: Call, issue: Issue, changes: Record<string, unknown>): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  const pull = findPull(call.state, issue.number);
  if (pull) return emitPull(call.world, 'edited', pull, by(call.token), changes);
  const payload = issuePayload(call.render, 'edited', issue, call.token.login, changes);
  return emitOnDefault(call.world, 'issues', payload, by(call.token));
}

async function close(call: Call, issue: Issue): Promise<void> {
  const pull = findPull(call.state, issue.number);
  if (pull) return closePull(call.world, pull, by(call.token));
  const reason = text(call.body, 'state_reason') || 'completed';
  Object.assign(issue, {
    state: 'closed',
    closedAt: call.state.now,
    closedBy: call.token.login,
    stateReason: reason,
  });
  const payload = issuePayload(call.render, 'closed', issue, call.token.login);
  return emitOnDefault(call.world, 'issues', payload, by(call.token));
}

async function comment(call: Call) {
  const { state, token, body, world, render } = call;
  const issue = issueOf(call);
  checkKind(call, issue);
  checkBody('comment', body['body']);
  if (!text(body, 'body')) throw invalid('IssueComment', 'Body cannot be blank', 'unprocessable', 'data');
  if (issue.locked && !canWrite(state, token.login))
    throw refuse(403, 'Unable to create comment because issue is locked.');
  const one: Comment = {
    id: takeId(state),
    issue: issue.number,
    author: token.login,
    body: text(body, 'body'),
    createdAt: state.now,
    updatedAt: state.now,
    edits: [],
  };
  state.comments.push(one);
  issue.updatedAt = state.now;
  await emitOnDefault(
    world,
    'issue_comment',
    issueCommentPayload(render, 'created', issue, one, token.login),
    by(token),
  );
  return created(render.comment(one));
}

function commentOf(call: Call): Comment {
  const found = call.state.comments.find((one) => one.id === Number(call.params['comment_id']));
  if (!found) throw notFound();
  return found;
}

async function updateComment(call: Call) {
  const { state, token, body, world, render } = call;
  const one = commentOf(call);
  checkOwnWords(call, one.author);
  checkBody('comment', body['body']);
  const from = one.body;
  one.edits.push({ editor: token.login, at: state.now, from });
  Object.assign(one, { body: text(body, 'body'), updatedAt: state.now });
  const issue = state.issues.find((candidate) => candidate.number === one.issue);
  if (issue) {
    const payload = issueCommentPayload(render, 'edited', issue, one, token.login, { body: { from } });
    await emitOnDefault(world, 'issue_comment', payload, by(token));
  }
  return ok(render.comment(one));
}

function comments(call: Call, list: readonly Comment[], sort: boolean) {
  const from = Date.parse(call.query.get('since') ?? '') || 0;
  const key = sort && call.query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  const sorted = list
    .filter((one) => one.updatedAt >= from)
    .toSorted((a, b) => a[key] - b[key] || a.id - b.id);
  if (sort && call.query.get('direction') === 'desc') sorted.reverse();
  return listed(sorted.map((one) => call.render.comment(one)));
}

function events(call: Call) {
  const { number } = issueOf(call);
  const { api, user, node } = call.render;
  // Of labels and titles only GraphQL is asked.
  const own = call.state.timeline.filter(
    (one) => one.issue === number && !['labeled', 'unlabeled', 'renamed'].includes(one.event),
  );
  const schema = { $ref: '#/schemas/state-change-issue-event' };
  return listed(
    own.map((one) =>
      fill(schema, {
        id: one.id,
        node_id: node('EV', one.id),
        url: `${api}/issues/events/${one.id}`,
        actor: user(one.actor),
        event: one.event,
        commit_id: one.commit,
        commit_url: one.commit ? `${api}/commits/${one.commit}` : null,
        created_at: iso(one.at),
      }),
    ),
  );
}

export const issueRoutes: Routes = {
  'issues/list-for-repo': { needs: read, handle: list },
  'issues/create': { needs: ['issues:write'], creates: true, handle: create },
  'issues/get': { needs: read, handle: (call) => ok(call.render.issue(issueOf(call))) },
  'issues/update': { needs: write, handle: update },
  'issues/list-comments': {
    needs: read,
    handle: (call) =>
      comments(
        call,
        call.state.comments.filter((one) => one.issue === issueOf(call).number),
        false,
      ),
  },
  'issues/create-comment': { needs: write, creates: true, handle: comment },
  'issues/list-comments-for-repo': {
    needs: read,
    handle: (call) => comments(call, call.state.comments, true),
  },
  'issues/get-comment': { needs: read, handle: (call) => ok(call.render.comment(commentOf(call))) },
  'issues/update-comment': { needs: write, handle: updateComment },
  'issues/delete-comment': {
    needs: write,
    handle(call) {
      const one = commentOf(call);
      checkOwnWords(call, one.author);
      call.state.comments.splice(call.state.comments.indexOf(one), 1);
      return noContent;
    },
  },
  'issues/list-events': { needs: read, handle: events },
  'issues/list-labels-on-issue': {
    needs: read,
    handle: (call) => listed(issueOf(call).labels.map((one) => call.render.label(one))),
  },
  'issues/add-labels': {
    needs: write,
    async handle(call) {
      const issue = issueOf(call);
      checkKind(call, issue);
      mayLabel(call);
      await addLabels(call, issue, names(call.body['labels']));
      return ok(issue.labels.map((one) => call.render.label(one)));
    },
  },
  'issues/remove-label': {
    needs: write,
    async handle(call) {
      const issue = issueOf(call);
      checkKind(call, issue);
      mayLabel(call);
      if (!issue.labels.includes(call.params['name'] ?? '')) throw refuse(404, 'Label does not exist');
      await removeLabels(call, issue, [call.params['name'] ?? '']);
      return ok(issue.labels.map((one) => call.render.label(one)));
    },
  },
  'issues/add-assignees': {
    needs: write,
    handle(call) {
      const issue = issueOf(call);
      // GitHub leaves out, without a word, whoever cannot be assigned.
      for (const login of names(call.body['assignees']))
        if ((call.state.roles[login] ?? 'none') !== 'none' && !issue.assignees.includes(login))
          issue.assignees.push(login);
      return created(call.render.issue(issue));
    },
  },
  'issues/list-labels-for-repo': {
    needs: read,
    handle: (call) => listed(call.state.labels.map((one) => call.render.label(one.name))),
  },
  'issues/create-label': {
    needs: write,
    handle(call) {
      const { state, body } = call;
      const name = text(body, 'name');
      checkName('Label', name);
      if (state.labels.some((one) => one.name.toLowerCase() === name.toLowerCase()))
        throw refuse(422, 'Validation Failed', [
          { resource: 'Label', code: 'already_exists', field: 'name' },
        ]);
      const color = text(body, 'color') || 'ededed';
      if (!/^[0-9a-fA-F]{6}$/.test(color))
        throw refuse(422, 'Validation Failed', [{ resource: 'Label', code: 'invalid', field: 'color' }]);
      state.labels.push({ id: takeId(state), name, color, description: text(body, 'description') || null });
      return created(call.render.label(name));
    },
  },
};
