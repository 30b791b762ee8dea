/** The state as GitHub's JSON. Only what is modelled: fill.ts adds the rest of each shape. */
import { actionsRenderer } from './render-actions.ts';
import {
  type Comment,
  canWrite,
  findPull,
  type Issue,
  iso,
  type PullIssue,
  type Reaction,
  type Review,
  type ReviewComment,
  type State,
  type Status,
} from './state.ts';

export type Json = Record<string, unknown>;

export interface Urls {
  readonly api: string;
  readonly server: string;
}

export type Render = ReturnType<typeof renderer>;

export function renderer(state: State, urls: Urls) {
  const fullName = `${state.owner}/${state.repo}`;
  const api = `${urls.api}/repos/${fullName}`;
  const html = `${urls.server}/${fullName}`;
  const node = (kind: string, id: number) => `${kind}_${Buffer.from(String(id)).toString('base64url')}`;

  function user(login: string): Json {
    const known = state.users[login] ?? { login, id: 0, type: 'User' as const };
    const place = encodeURIComponent(login);
    return {
      login,
      id: known.id,
      node_id: node('U', known.id),
      type: known.type,
      site_admin: false,
      url: `${urls.api}/users/${place}`,
      html_url: known.type === 'Bot' ? 'https://github.com/apps/github-actions' : `${urls.server}/${place}`,
    };
  }

  function association(login: string): string {
    if (login === state.owner) return 'OWNER';
    if (canWrite(state, login) && !state.settings.privateMembers.includes(login)) return 'COLLABORATOR';
    const merged = state.issues.some((issue) => issue.author === login && issue.pull?.merged);
    return merged || canWrite(state, login) ? 'CONTRIBUTOR' : 'NONE';
  }

  function repository(full = fullName): Json {
    const [owner = '', name = ''] = full.split('/');
    return {
      id: full === fullName ? 424242 : 424243,
      node_id: node('R', 424242),
      name,
      full_name: full,
      private: state.settings.private,
      fork: full !== fullName,
      owner: user(owner),
      default_branch: state.defaultBranch,
      url: `${urls.api}/repos/${full}`,
      html_url: `${urls.server}/${full}`,
      clone_url: `${urls.server}/${full}.git`,
      allow_auto_merge: state.settings.allowAutoMerge,
      archived: false,
      disabled: false,
      has_issues: true,
      ...state.settings.repository,
    };
  }

  function label(name: string): Json {
    const known = state.labels.find((one) => one.name.toLowerCase() === name.toLowerCase());
    return {
      id: known?.id ?? 0,
      node_id: node('LA', known?.id ?? 0),
      name: known?.name ?? name,
      color: known?.color ?? 'ededed',
      default: false,
      description: known?.description ?? null,
      url: `${api}/labels/${encodeURIComponent(name)}`,
    };
  }

  function common(one: Issue): Json {
    return {
      number: one.number,
      title: one.title,
      body: one.body,
      state: one.state,
      locked: one.locked,
      user: user(one.author),
      author_association: association(one.author),
      labels: one.labels.map(label),
      assignee: one.assignees[0] ? user(one.assignees[0]) : null,
      assignees: one.assignees.map(user),
      milestone: null,
      created_at: iso(one.createdAt),
      updated_at: iso(one.updatedAt),
      closed_at: one.closedAt === null ? null : iso(one.closedAt),
      comments_url: `${api}/issues/${one.number}/comments`,
    };
  }

  function milestone(number: number | null): Json | null {
    const one = state.milestones.find((each) => each.number === number);
    if (!one) return null;
    const inside = state.issues.filter((issue) => issue.milestone === number);
    return {
      id: one.id,
      node_id: node('MI', one.id),
      number: one.number,
      title: one.title,
      description: one.description,
      creator: user(one.creator),
      state: 'open',
      url: `${api}/milestones/${one.number}`,
      html_url: `${html}/milestone/${one.number}`,
      labels_url: `${api}/milestones/${one.number}/labels`,
      open_issues: inside.filter((issue) => issue.state === 'open').length,
      closed_issues: inside.filter((issue) => issue.state === 'closed').length,
      created_at: iso(one.createdAt),
      updated_at: iso(one.createdAt),
      closed_at: null,
      due_on: null,
    };
  }

  function dependencies(one: Issue): Json {
    const open = (list: readonly Issue[]) => list.filter((each) => each.state === 'open').length;
    const before = state.issues.filter(({ number }) => one.blockedBy.includes(number));
    const after = state.issues.filter(({ blockedBy }) => blockedBy.includes(one.number));
    return {
      blocked_by: open(before),
      total_blocked_by: before.length,
      blocking: open(after),
      total_blocking: after.length,
    };
  }

  function issue(one: Issue): Json {
    const comments = state.comments.filter((comment) => comment.issue === one.number).length;
    const pullUrl = `${api}/pulls/${one.number}`;
    return {
      ...common(one),
      id: one.id,
      node_id: node('I', one.id),
      url: `${api}/issues/${one.number}`,
      html_url: `${html}/${one.pull ? 'pull' : 'issues'}/${one.number}`,
      repository_url: api,
      comments,
      state_reason: one.stateReason,
      milestone: milestone(one.milestone),
      ...(one.parent === null ? {} : { parent_issue_url: `${api}/issues/${one.parent}` }),
      issue_dependencies_summary: dependencies(one),
      closed_by: one.closedBy ? user(one.closedBy) : null,
      ...(one.pull
        ? {
            draft: one.pull.draft,
            pull_request: {
              url: pullUrl,
              html_url: `${html}/pull/${one.number}`,
              diff_url: `${html}/pull/${one.number}.diff`,
              patch_url: `${html}/pull/${one.number}.patch`,
              merged_at: one.pull.mergedAt === null ? null : iso(one.pull.mergedAt),
            },
          }
        : {}),
    };
  }

  function pull(one: PullIssue, baseSha: string): Json {
    const { pull: data } = one;
    const [headOwner = ''] = data.head.repo.split('/');
    const end = (ref: string, repo: string, sha: string) => ({
      label: `${repo.split('/')[0]}:${ref}`,
      ref,
      sha,
      user: user(repo.split('/')[0] ?? headOwner),
      repo: repository(repo),
    });
    return {
      ...common(one),
      id: one.id + 1_000_000,
      node_id: node('PR', one.id),
      url: `${api}/pulls/${one.number}`,
      html_url: `${html}/pull/${one.number}`,
      issue_url: `${api}/issues/${one.number}`,
      diff_url: `${html}/pull/${one.number}.diff`,
      patch_url: `${html}/pull/${one.number}.patch`,
      draft: data.draft,
      head: end(data.head.ref, data.head.repo, data.head.sha),
      base: end(data.base, fullName, baseSha),
      merged_at: data.mergedAt === null ? null : iso(data.mergedAt),
      merge_commit_sha: data.mergeCommit,
      requested_reviewers: data.requestedReviewers.map(user),
      requested_teams: [],
      auto_merge: null,
      _links: links(one.number),
    };
  }

  function links(number: number): Json {
    const link = (href: string) => ({ href });
    return {
      self: link(`${api}/pulls/${number}`),
      html: link(`${html}/pull/${number}`),
      issue: link(`${api}/issues/${number}`),
      comments: link(`${api}/issues/${number}/comments`),
      review_comments: link(`${api}/pulls/${number}/comments`),
      review_comment: link(`${api}/pulls/comments{/number}`),
      commits: link(`${api}/pulls/${number}/commits`),
      statuses: link(`${api}/statuses/${findPull(state, number)?.pull.head.sha ?? ''}`),
    };
  }

  function pullDetail(one: PullIssue, baseSha: string, counts: Json): Json {
    const { pull: data } = one;
    return {
      ...pull(one, baseSha),
      merged: data.merged,
      merged_by: data.mergedBy ? user(data.mergedBy) : null,
      comments: state.comments.filter((comment) => comment.issue === one.number).length,
      review_comments: state.reviewComments.filter((comment) => comment.issue === one.number).length,
      maintainer_can_modify: false,
      ...counts,
    };
  }

  function comment(one: Comment): Json {
    const page = state.issues.find((issue) => issue.number === one.issue)?.pull ? 'pull' : 'issues';
    return {
      id: one.id,
      node_id: node('IC', one.id),
      url: `${api}/issues/comments/${one.id}`,
      html_url: `${html}/${page}/${one.issue}#issuecomment-${one.id}`,
      issue_url: `${api}/issues/${one.issue}`,
      body: one.body,
      user: user(one.author),
      author_association: association(one.author),
      created_at: iso(one.createdAt),
      updated_at: iso(one.updatedAt),
    };
  }

  function review(one: Review): Json {
    const page = `${html}/pull/${one.pull}#pullrequestreview-${one.id}`;
    return {
      id: one.id,
      node_id: node('PRR', one.id),
      user: user(one.author),
      body: one.body,
      state: one.state,
      html_url: page,
      pull_request_url: `${api}/pulls/${one.pull}`,
      author_association: association(one.author),
      _links: { html: { href: page }, pull_request: { href: `${api}/pulls/${one.pull}` } },
      commit_id: one.commit,
      ...(one.state === 'PENDING' ? {} : { submitted_at: iso(one.submittedAt) }),
    };
  }

  function reviewComment(one: ReviewComment): Json {
    const page = `${html}/pull/${one.issue}#discussion_r${one.id}`;
    return {
      ...comment(one),
      node_id: node('PRRC', one.id),
      url: `${api}/pulls/comments/${one.id}`,
      html_url: page,
      issue_url: undefined,
      pull_request_review_id: one.review,
      pull_request_url: `${api}/pulls/${one.issue}`,
      path: one.path,
      line: one.line ?? undefined,
      original_line: one.line ?? undefined,
      start_line: one.startLine,
      side: one.side,
      diff_hunk: '@@',
      commit_id: one.commit,
      original_commit_id: one.commit,
      in_reply_to_id: one.inReplyTo ?? undefined,
      subject_type: one.line === null ? 'file' : 'line',
      _links: {
        self: { href: `${api}/pulls/comments/${one.id}` },
        html: { href: page },
        pull_request: { href: `${api}/pulls/${one.issue}` },
      },
    };
  }

  function reaction(one: Reaction): Json {
    return {
      id: one.id,
      node_id: node('REA', one.id),
      user: user(one.author),
      content: one.content,
      created_at: iso(one.createdAt),
    };
  }

  function status(one: Status): Json {
    return {
      id: one.id,
      node_id: node('SC', one.id),
      url: `${api}/statuses/${one.sha}`,
      avatar_url: null,
      state: one.state,
      description: one.description,
      target_url: one.targetUrl,
      context: one.context,
      created_at: iso(one.createdAt),
      updated_at: iso(one.createdAt),
      creator: user(one.creator),
    };
  }

  return {
    fullName,
    api,
    html,
    node,
    user,
    association,
    repository,
    label,
    issue,
    milestone,
    pull,
    pullDetail,
    comment,
    review,
    reviewComment,
    reaction,
    status,
    ...actionsRenderer(api, html, node, user, repository),
  };
}
