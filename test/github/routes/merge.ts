import { refuse } from '../answers.ts';
import { refuseUnlessGreen } from '../checks.ts';
import { identity, mergeCommits } from '../merge-commits.ts';
import { recordMoves } from '../record-moves.ts';
import { baseShaOf, type Call, ok, pullOf, type Routes, text } from '../route.ts';
import { by, markMerged } from '../world.ts';

async function merge(call: Call) {
  const { data, state, token, body } = call;
  const pull = pullOf(call);
  const baseSha = await baseShaOf(call, pull);
  if (pull.state === 'closed' || pull.pull.draft) throw refuse(405, 'Pull Request is not mergeable');
  if (typeof body['sha'] === 'string' && body['sha'] !== pull.pull.head.sha)
    throw refuse(409, 'Head branch was modified. Review and try the merge again.');
  if (!state.settings.bypassLogins.includes(token.login))
    refuseUnlessGreen(state, pull.pull.base, pull.pull.head.sha);
  const message =
    text(body, 'commit_title') ||
    `Merge pull request #${pull.number} from ${state.owner}/${pull.pull.head.ref}`;
  const method = text(body, 'merge_method');
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
