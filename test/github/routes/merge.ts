import { refuse } from '../answers.ts';
import { refuseUnlessGreen } from '../checks.ts';
import { identity, mergeCommits } from '../merge-commits.ts';
import { recordMoves } from '../record-moves.ts';
import { baseShaOf, type Call, ok, pullOf, type Routes, text } from '../route.ts';
import { canWrite, type PullIssue, type State } from '../state.ts';
import { by, markMerged } from '../world.ts';

const methods = {
  merge: ['allow_merge_commit', 'Merge commits'],
  squash: ['allow_squash_merge', 'Squash merges'],
  rebase: ['allow_rebase_merge', 'Rebase merges'],
} as const;

/** As github.com words it (REST, merge a pull request: 405 "if merge cannot be performed"). */
function refuseByRules({ state, token }: Call, pull: PullIssue, method: string): void {
  const { settings, defaultBranch } = state;
  const [field, words] = methods[method as keyof typeof methods] ?? methods.merge;
  if (settings.repository[field] === false) throw refuse(405, `${words} are not allowed on this repository.`);
  if (pull.pull.base !== defaultBranch || settings.bypassLogins.includes(token.login)) return;
  if (settings.mergeQueue)
    throw refuse(405, 'Repository rule violations found: Changes must be made through the merge queue');
  if (settings.linearHistory && method === 'merge')
    throw refuse(405, 'This branch must not contain merge commits.');
  refuseUnapproved(state, pull);
}

/** A bot's comment is no approval, nor is the author's own word. */
function refuseUnapproved(state: State, pull: PullIssue): void {
  const { approvals = 0 } = state.settings;
  const given = state.reviews.filter(
    (one) => one.pull === pull.number && one.state === 'APPROVED' && canWrite(state, one.author),
  );
  const people = new Set(given.map(({ author }) => author));
  if (people.size < approvals)
    throw refuse(405, `At least ${approvals} approving review is required by reviewers with write access.`);
}

async function merge(call: Call) {
  const { data, state, token, body } = call;
  const pull = pullOf(call);
  const baseSha = await baseShaOf(call, pull);
  if (pull.state === 'closed' || pull.pull.draft) throw refuse(405, 'Pull Request is not mergeable');
  if (typeof body['sha'] === 'string' && body['sha'] !== pull.pull.head.sha)
    throw refuse(409, 'Head branch was modified. Review and try the merge again.');
  if (!state.settings.bypassLogins.includes(token.login))
    refuseUnlessGreen(state, pull.pull.base, pull.pull.head.sha);
  const method = text(body, 'merge_method') || 'merge';
  refuseByRules(call, pull, method);
  const message =
    text(body, 'commit_title') ||
    `Merge pull request #${pull.number} from ${state.owner}/${pull.pull.head.ref}`;
  const wanted = { base: baseSha, head: pull.pull.head.sha, method, by: token.login, message };
  const sha = await mergeCommits(data, wanted);
  if (!sha) throw refuse(405, 'Pull Request is not mergeable');
  await data.git.text(['update-ref', `refs/heads/${pull.pull.base}`, sha, baseSha]);
  await markMerged(call.world, pull, sha, by(token));
  await recordMoves(call.world, [{ ref: `refs/heads/${pull.pull.base}`, old: baseSha, new: sha }], by(token));
  return ok({ sha, merged: true, message: 'Pull Request successfully merged' });
}

async function updateBranch(call: Call) {
  const { data, body, token } = call;
  const pull = pullOf(call);
  const { head } = pull.pull;
  const baseSha = await baseShaOf(call, pull);
  if (typeof body['expected_head_sha'] === 'string' && body['expected_head_sha'] !== head.sha)
    throw refuse(422, 'expected head sha didn’t match current head ref.');
  const tree = await data.mergeTree(head.sha, baseSha);
  if (!tree) throw refuse(422, 'merge conflict between base and head');
  if (!(await data.contains(head.sha, baseSha))) {
    const message = `Merge branch '${pull.pull.base}' into ${head.ref}`;
    const person = identity(token.login);
    const sha = await data.git.text(['commit-tree', tree, '-p', head.sha, '-p', baseSha, '-m', message], {
      env: person,
    });
    await data.git.text(['update-ref', `refs/heads/${head.ref}`, sha, head.sha]);
    await recordMoves(call.world, [{ ref: `refs/heads/${head.ref}`, old: head.sha, new: sha }], by(token));
  }
  return {
    status: 202,
    body: { message: 'Updating pull request branch.', url: `${call.render.api}/pulls/${pull.number}` },
  };
}

export const mergeRoutes: Routes = {
  'pulls/merge': { needs: ['contents:write'], handle: merge },
  'pulls/update-branch': { needs: ['pull_requests:write'], handle: updateBranch },
};
