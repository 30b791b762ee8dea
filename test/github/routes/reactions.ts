import { notFound } from '../answers.ts';
import { type Call, created, listed, noContent, ok, type Routes, text } from '../route.ts';
import { type Reaction, takeId } from '../state.ts';

type On = Reaction['on'];

function target(call: Call, on: On): number {
  const { state, params } = call;
  const id = Number(on === 'issue' ? params['issue_number'] : params['comment_id']);
  const found =
    on === 'issue'
      ? state.issues.some((one) => one.number === id)
      : (on === 'comment' ? state.comments : state.reviewComments).some((one) => one.id === id);
  if (!found) throw notFound();
  return id;
}

function add(on: On) {
  return (call: Call) => {
    const { state, token } = call;
    const content = text(call.body, 'content');
    const id = target(call, on);
    const mine = state.reactions.find(
      (one) => one.on === on && one.target === id && one.author === token.login && one.content === content,
    );
    if (mine) return ok(call.render.reaction(mine));
    const reaction: Reaction = {
      id: takeId(state),
      on,
      target: id,
      author: token.login,
      content,
      createdAt: state.now,
    };
    state.reactions.push(reaction);
    return created(call.render.reaction(reaction));
  };
}

function list(on: On) {
  return (call: Call) => {
    const id = target(call, on);
    const content = call.query.get('content');
    return listed(
      call.state.reactions
        .filter((one) => one.on === on && one.target === id && (!content || one.content === content))
        .map((one) => call.render.reaction(one)),
    );
  };
}

function remove(call: Call) {
  const at = call.state.reactions.findIndex((one) => one.id === Number(call.params['reaction_id']));
  if (at < 0) throw notFound();
  call.state.reactions.splice(at, 1);
  return noContent;
}

/** For a comment on an issue or pull request only issues: write will do. */
const write = ['issues:write'];

export const reactionRoutes: Routes = {
  'reactions/list-for-issue-comment': { needs: ['issues:read'], handle: list('comment') },
  'reactions/create-for-issue-comment': { needs: write, creates: true, handle: add('comment') },
  'reactions/delete-for-issue-comment': { needs: write, handle: remove },
  'reactions/list-for-issue': { needs: ['issues:read'], handle: list('issue') },
  'reactions/create-for-issue': { needs: write, creates: true, handle: add('issue') },
  'reactions/list-for-pull-request-review-comment': {
    needs: ['pull_requests:read'],
    handle: list('review-comment'),
  },
  'reactions/create-for-pull-request-review-comment': {
    needs: ['pull_requests:write'],
    creates: true,
    handle: add('review-comment'),
  },
};
