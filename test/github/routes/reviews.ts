import { checkBody, invalid, notFound, Refusal, unprocessable } from '../answers.ts';
import { baseShaOf, type Call, created, listed, noContent, ok, pullOf, type Routes, text } from '../route.ts';
import { type PullIssue, type Review, type ReviewComment, takeId } from '../state.ts';
import { reviewCommentPayload, reviewPayload } from '../webhooks.ts';
import { by, emit } from '../world.ts';

const states = { APPROVE: 'APPROVED', REQUEST_CHANGES: 'CHANGES_REQUESTED', COMMENT: 'COMMENTED' } as const;

function checkVerdict(call: Call, pull: PullIssue, event: string): void {
  const { state, token } = call;
  const own = pull.author === token.login;
  if (event === 'APPROVE' && own) throw unprocessable('Can not approve your own pull request');
  if (event === 'REQUEST_CHANGES' && own)
    throw unprocessable('Can not request changes on your own pull request');
  if (event === 'APPROVE' && token.kind === 'actions' && !state.settings.actionsMayOpenPulls)
    throw unprocessable('GitHub Actions is not permitted to approve pull requests.');
}

export async function createReview(call: Call) {
  const { state, body, token, world } = call;
  const pull = pullOf(call);
  const event = text(body, 'event') as keyof typeof states | '';
  const comments = (body['comments'] ?? []) as Record<string, unknown>[];
  checkVerdict(call, pull, event);
  checkBody('comment', body['body']);
  if ((event === 'COMMENT' || event === 'REQUEST_CHANGES') && !text(body, 'body') && comments.length === 0)
    throw unprocessable("Body can't be blank");
  const commit = text(body, 'commit_id') || pull.pull.head.sha;
  if (!(await call.data.exists(commit))) throw unprocessable('Commit ID is not part of the pull request');
  await checkPlaces(call, pull, comments);
  const review: Review = {
    id: takeId(state),
    pull: pull.number,
    author: token.login,
    body: text(body, 'body'),
    state: event ? states[event] : 'PENDING',
    commit,
    submittedAt: state.now,
  };
  state.reviews.push(review);
  for (const one of comments) addComment(call, pull, one, { review: review.id, commit, inReplyTo: null });
  pull.updatedAt = state.now;
  if (event) {
    const payload = reviewPayload(
      call.render,
      pull,
      await baseShaOf(call, pull),
      call.render.review(review),
      token.login,
    );
    await emit(world, {
      name: 'pull_request_review',
      payload,
      by: by(token),
      ref: `refs/pull/${pull.number}/merge`,
      sha: pull.pull.head.sha,
    });
  }
  return ok(call.render.review(review));
}

/** A comment may only stand on a line that the diff shows. */
async function checkPlaces(
  call: Call,
  pull: PullIssue,
  comments: readonly Record<string, unknown>[],
): Promise<void> {
  if (comments.length === 0) return;
  const base = await call.data.mergeBase(await baseShaOf(call, pull), pull.pull.head.sha);
  const files = base ? await call.data.files(base, pull.pull.head.sha) : [];
  for (const one of comments) {
    checkBody('comment', one['body']);
    const path = String(one['path']);
    if (!base || !files.some((file) => file.path === path)) throw unprocessable('Path could not be resolved');
    if (one['subject_type'] === 'file') continue;
    const line = Number(one['line'] ?? 0);
    const shown = linesShown(await call.data.patch(base, pull.pull.head.sha, path), one['side'] === 'LEFT');
    if (one['position'] === undefined && !shown.has(line)) throw unprocessable('Line could not be resolved');
    const start = one['start_line'];
    if (start !== undefined && (!shown.has(Number(start)) || Number(start) >= line))
      throw unprocessable('Pull request review thread start line must be part of the same hunk as the line.');
  }
}

function linesShown(patch: string, left: boolean): Set<number> {
  const shown = new Set<number>();
  let [oldLine, newLine] = [0, 0];
  for (const line of patch.split('\n')) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (hunk) [oldLine, newLine] = [Number(hunk[1]), Number(hunk[2])];
    else if (line.startsWith('+')) {
      if (!left) shown.add(newLine);
      newLine += 1;
    } else if (line.startsWith('-')) {
      if (left) shown.add(oldLine);
      oldLine += 1;
    } else if (line.startsWith(' ')) {
      shown.add(left ? oldLine : newLine);
      oldLine += 1;
      newLine += 1;
    }
  }
  return shown;
}

function addComment(
  call: Call,
  pull: PullIssue,
  one: Record<string, unknown>,
  at: { review: number; commit: string; inReplyTo: number | null },
): ReviewComment {
  const { state, token } = call;
  const comment: ReviewComment = {
    id: takeId(state),
    issue: pull.number,
    author: token.login,
    body: text(one, 'body'),
    createdAt: state.now,
    updatedAt: state.now,
    edits: [],
    review: at.review,
    path: String(one['path']),
    line: one['line'] === undefined ? null : Number(one['line']),
    startLine: one['start_line'] === undefined ? null : Number(one['start_line']),
    side: one['side'] === 'LEFT' ? 'LEFT' : 'RIGHT',
    commit: at.commit,
    inReplyTo: at.inReplyTo,
    resolved: false,
  };
  state.reviewComments.push(comment);
  return comment;
}

/** The same refusal for a single comment has the form of a field's. */
function asField(error: unknown): never {
  const said =
    error instanceof Refusal ? (error.answer.body as { errors?: unknown[] }).errors?.[0] : undefined;
  const field = /^(Line|Path) could not/.exec(typeof said === 'string' ? said : '')?.[1]?.toLowerCase();
  if (!field) throw error;
  const thread = `pull_request_review_thread.${field}`;
  throw invalid('PullRequestReviewComment', 'could not be resolved', 'custom', thread);
}

async function createComment(call: Call) {
  const { body, token, world, state } = call;
  const pull = pullOf(call);
  const root = call.params['comment_id'] ? find(call, Number(call.params['comment_id'])) : undefined;
  if (!root) await checkPlaces(call, pull, [body]).catch(asField);
  checkBody('comment', body['body']);
  const commit = text(body, 'commit_id') || (root?.commit ?? pull.pull.head.sha);
  if (!(await call.data.exists(commit)))
    throw invalid(
      'PullRequestReviewComment',
      'commit_id is not part of the pull request',
      'custom',
      'commit_id',
    );
  const review: Review = {
    id: takeId(state),
    pull: pull.number,
    author: token.login,
    body: '',
    state: 'COMMENTED',
    commit,
    submittedAt: state.now,
  };
  state.reviews.push(review);
  const place = root ? { ...body, path: root.path, line: root.line ?? undefined, side: root.side } : body;
  const comment = addComment(call, pull, place, {
    review: review.id,
    commit,
    inReplyTo: root ? (root.inReplyTo ?? root.id) : null,
  });
  const payload = reviewCommentPayload(
    call.render,
    'created',
    pull,
    await baseShaOf(call, pull),
    comment,
    token.login,
  );
  await emit(world, {
    name: 'pull_request_review_comment',
    payload,
    by: by(token),
    ref: `refs/pull/${pull.number}/merge`,
    sha: pull.pull.head.sha,
  });
  return created(call.render.reviewComment(comment));
}

function find(call: Call, id: number): ReviewComment {
  const comment = call.state.reviewComments.find((one) => one.id === id);
  if (!comment) throw notFound();
  return comment;
}

function since(call: Call, list: readonly ReviewComment[]) {
  const from = Date.parse(call.query.get('since') ?? '') || 0;
  const sorted = list.filter((one) => one.updatedAt >= from).toSorted((a, b) => a.createdAt - b.createdAt);
  if (call.query.get('direction') === 'desc') sorted.reverse();
  return listed(sorted.map((one) => call.render.reviewComment(one)));
}

const reviewOf = (call: Call): Review => {
  const review = call.state.reviews.find((one) => one.id === Number(call.params['review_id']));
  if (!review) throw notFound();
  return review;
};

const write = ['pull_requests:write'];
const read = ['pull_requests:read'];

export const reviewRoutes: Routes = {
  'pulls/list-reviews': {
    needs: read,
    handle(call) {
      const pull = pullOf(call);
      return listed(
        call.state.reviews.filter((one) => one.pull === pull.number).map((one) => call.render.review(one)),
      );
    },
  },
  'pulls/create-review': { needs: write, creates: true, handle: createReview },
  'pulls/update-review': {
    needs: write,
    handle(call) {
      checkBody('comment', call.body['body']);
      return ok(call.render.review(Object.assign(reviewOf(call), { body: text(call.body, 'body') })));
    },
  },
  'pulls/dismiss-review': {
    needs: write,
    handle(call) {
      const review = reviewOf(call);
      if (review.state === 'COMMENTED')
        throw unprocessable('Can not dismiss a commented pull request review');
      review.state = 'DISMISSED';
      return ok(call.render.review(review));
    },
  },
  'pulls/list-comments-for-review': {
    needs: read,
    handle(call) {
      const { id } = reviewOf(call);
      return listed(
        call.state.reviewComments
          .filter((one) => one.review === id)
          .map((one) => ({ ...call.render.reviewComment(one) })),
      );
    },
  },
  'pulls/list-review-comments': {
    needs: read,
    handle: (call) =>
      since(
        call,
        call.state.reviewComments.filter((one) => one.issue === pullOf(call).number),
      ),
  },
  'pulls/list-review-comments-for-repo': {
    needs: read,
    handle: (call) => since(call, call.state.reviewComments),
  },
  'pulls/create-review-comment': { needs: write, creates: true, handle: createComment },
  'pulls/create-reply-for-review-comment': { needs: write, creates: true, handle: createComment },
  'pulls/get-review-comment': {
    needs: read,
    handle: (call) => ok(call.render.reviewComment(find(call, Number(call.params['comment_id'])))),
  },
  'pulls/delete-review-comment': {
    needs: write,
    handle(call) {
      const comment = find(call, Number(call.params['comment_id']));
      call.state.reviewComments.splice(call.state.reviewComments.indexOf(comment), 1);
      return noContent;
    },
  },
  'pulls/update-review-comment': {
    needs: write,
    handle(call) {
      const comment = find(call, Number(call.params['comment_id']));
      checkBody('comment', call.body['body']);
      comment.edits.push({ editor: call.token.login, at: call.state.now, from: comment.body });
      Object.assign(comment, { body: text(call.body, 'body'), updatedAt: call.state.now });
      return ok(call.render.reviewComment(comment));
    },
  },
};
