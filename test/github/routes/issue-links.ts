/** Milestones, sub-issues and dependencies between issues. */
import { invalid, notFound } from '../answers.ts';
import { type Call, created, issueOf, listed, type Routes, text } from '../route.ts';
import { type Issue, takeId } from '../state.ts';

const read = ['issues:read', 'pull_requests:read'];
const write = ['issues:write'];
const subIssuesMax = 100;

/** These are named by their ids, not by their numbers. */
function named(call: Call, field: string): Issue {
  const issue = call.state.issues.find(({ id, pull }) => id === call.body[field] && !pull);
  if (!issue) throw notFound();
  return issue;
}

function createMilestone(call: Call) {
  const { state, body, token } = call;
  const title = text(body, 'title');
  if (state.milestones.some((one) => one.title === title))
    throw invalid('Milestone', 'Title has already been taken', 'already_exists', 'title');
  const number = state.milestones.length + 1;
  state.milestones.push({
    id: takeId(state),
    number,
    title,
    description: text(body, 'description') || null,
    creator: token.login,
    createdAt: state.now,
  });
  return created(call.render.milestone(number));
}

function addSubIssue(call: Call) {
  const [parent, child] = [issueOf(call), named(call, 'sub_issue_id')];
  for (let at: Issue | undefined = parent; at; at = above(call, at))
    if (at === child) throw invalid('Issue', 'Sub issue is not possible here', 'invalid', 'sub_issue_id');
  if (child.parent !== null && child.parent !== parent.number && call.body['replace_parent'] !== true)
    throw invalid('Issue', 'Sub issue may only have one parent', 'already_exists', 'sub_issue_id');
  const parts = call.state.issues.filter((one) => one.parent === parent.number && one !== child);
  if (parts.length >= subIssuesMax)
    throw invalid('Issue', 'Sub issue is not possible here', 'invalid', 'sub_issue_id');
  child.parent = parent.number;
  return created(call.render.issue(parent));
}

function above({ state }: Call, { parent }: Issue): Issue | undefined {
  return state.issues.find(({ number }) => number === parent);
}

function addBlocker(call: Call) {
  const [issue, blocker] = [issueOf(call), named(call, 'issue_id')];
  if (issue === blocker || issue.blockedBy.includes(blocker.number))
    throw invalid('Issue', 'Dependency exists already', 'already_exists', 'issue_id');
  issue.blockedBy.push(blocker.number);
  return created(call.render.issue(issue));
}

export const issueLinkRoutes: Routes = {
  'issues/list-milestones': {
    needs: read,
    handle: (call) => listed(call.state.milestones.map(({ number }) => call.render.milestone(number))),
  },
  'issues/create-milestone': { needs: write, creates: true, handle: createMilestone },
  'issues/add-sub-issue': { needs: write, handle: addSubIssue },
  'issues/list-dependencies-blocked-by': {
    needs: read,
    handle(call) {
      const { blockedBy } = issueOf(call);
      const blockers = call.state.issues.filter(({ number }) => blockedBy.includes(number));
      return listed(blockers.map((one) => call.render.issue(one)));
    },
  },
  'issues/add-blocked-by-dependency': { needs: write, handle: addBlocker },
};
