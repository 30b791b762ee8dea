const { execFileSync } = require('node:child_process');

const input = (name) => process.env[`INPUT_${name.toUpperCase()}`] ?? '';
const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_WORKSPACE: cwd } = process.env;
const basic = Buffer.from(`x-access-token:${input('token')}`).toString('base64');
// In the environment, as the real one keeps it out of the arguments.
const env = {
  ...process.env,
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: `http.${server}/.extraheader`,
  GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}`,
};
const git = (...args) => execFileSync('git', args, { cwd, env, stdio: 'inherit' });

const depth = input('fetch-depth');
const filter = input('filter') ? [`--filter=${input('filter')}`] : [];
git('init', '-q');
git('remote', 'add', 'origin', `${server}/${repository}`);
const refs = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
if (depth === '0') git('fetch', '-q', '--prune', ...filter, 'origin', ...refs);
else git('fetch', '-q', `--depth=${depth}`, ...filter, 'origin', input('ref') || process.env.GITHUB_SHA);
const ref = input('ref') || process.env.GITHUB_SHA;
const isCommit = /^[0-9a-f]{40}$/.test(ref);
if (isCommit) git('checkout', '-q', '--detach', ref);
else git('checkout', '-q', '-B', ref, depth === '0' ? `refs/remotes/origin/${ref}` : 'FETCH_HEAD');
