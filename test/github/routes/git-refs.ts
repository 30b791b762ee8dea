import { notFound, refuse } from '../answers.ts';
import { recordMoves, zero } from '../record-moves.ts';
import { type Call, created, noContent, ok, type Routes, text } from '../route.ts';
import { by } from '../world.ts';

function refJson(call: Call, ref: string, sha: string) {
  return {
    ref,
    url: `${call.render.api}/git/${ref}`,
    object: { type: 'commit', sha, url: `${call.render.api}/git/commits/${sha}` },
  };
}

async function existing(call: Call): Promise<[string, string]> {
  const ref = `refs/${call.params['ref']}`;
  const sha = (await call.data.refs()).get(ref);
  if (!sha) throw call.token ? refuse(422, 'Reference does not exist') : notFound();
  return [ref, sha];
}

function checkProtection(call: Call, ref: string): void {
  const { settings } = call.state;
  if (
    settings.protectedBranches.some((name) => ref === `refs/heads/${name}`) &&
    !settings.bypassLogins.includes(call.token.login)
  )
    throw refuse(422, 'Cannot update this protected ref.');
  if (ref.startsWith('refs/pull/')) throw refuse(422, 'Reference update failed');
}

async function isCommit(call: Call, sha: string): Promise<void> {
  if (!/^[0-9a-f]{40}$/.test(sha))
    throw refuse(422, 'The sha parameter must be exactly 40 characters and contain only [0-9a-f].');
  if (!(await call.data.exists(sha))) throw refuse(422, 'Object does not exist');
}

async function createRef(call: Call) {
  const [ref, sha] = [text(call.body, 'ref'), text(call.body, 'sha')];
  if (!/^refs\/[^/]+\/.+/.test(ref))
    throw refuse(422, "Reference name must start with 'refs/' and have at least two slashes.");
  await isCommit(call, sha);
  if ((await call.data.refs()).has(ref)) throw refuse(422, 'Reference already exists');
  checkProtection(call, ref);
  const made = await call.data.git.run(['update-ref', ref, sha, zero]);
  if (made.code !== 0) throw refuse(422, 'Reference update failed');
  await recordMoves(call.world, [{ ref, old: zero, new: sha }], by(call.token));
  return created(refJson(call, ref, sha));
}

async function updateRef(call: Call) {
  const [ref, old] = await existing(call);
  const sha = text(call.body, 'sha');
  await isCommit(call, sha);
  checkProtection(call, ref);
  if (call.body['force'] !== true && !(await call.data.contains(sha, old)))
    throw refuse(422, 'Update is not a fast forward');
  await call.data.git.run(['update-ref', ref, sha, old]);
  await recordMoves(call.world, [{ ref, old, new: sha }], by(call.token));
  return ok(refJson(call, ref, sha));
}

export const gitRefRoutes: Routes = {
  'git/get-ref': {
    needs: ['contents:read'],
    async handle(call) {
      const ref = `refs/${call.params['ref']}`;
      const sha = (await call.data.refs()).get(ref);
      if (!sha) throw notFound();
      return ok(refJson(call, ref, sha));
    },
  },
  'git/list-matching-refs': {
    needs: ['contents:read'],
    async handle(call) {
      const refs = [...(await call.data.refs())].filter(([ref]) =>
        ref.startsWith(`refs/${call.params['ref']}`),
      );
      return { status: 200, body: refs.map(([ref, sha]) => refJson(call, ref, sha)) };
    },
  },
  'git/create-ref': { needs: ['contents:write'], handle: createRef },
  'git/update-ref': { needs: ['contents:write'], handle: updateRef },
  'git/delete-ref': {
    needs: ['contents:write'],
    async handle(call) {
      const [ref, sha] = await existing(call);
      checkProtection(call, ref);
      await call.data.git.run(['update-ref', '-d', ref, sha]);
      await recordMoves(call.world, [{ ref, old: sha, new: zero }], by(call.token));
      return noContent;
    },
  },
};
