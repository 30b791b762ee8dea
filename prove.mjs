/**
 * `npm run prove -- owner/repo`: a task on github.com from push to merge, with a scripted agent that costs nothing, and
 * what was seen. The repository must be a scratch one: this writes to its default branch. GITHUB_TOKEN is a person's
 * who may write there, workflows too. `--from owner/name@ref` says whose gza is proven (default: the released one).
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  options: {
    from: { type: 'string' },
    minutes: { type: 'string', default: '15' },
    'every-ms': { type: 'string', default: '10000' },
  },
  allowPositionals: true,
});
const [repository = ''] = positionals;
const { GITHUB_TOKEN: token, GITHUB_API_URL, GITHUB_SERVER_URL } = process.env;
const api = GITHUB_API_URL ?? 'https://api.github.com';
const server = GITHUB_SERVER_URL ?? 'https://github.com';
const cli = fileURLToPath(new URL('dist/cli.js', import.meta.url));

function fail(message, hint) {
  console.error(`Error: ${message}\n  ${hint}`);
  process.exit(2);
}

if (!/^[\w.-]+\/[\w.-]+$/.test(repository))
  fail(
    'no repository to prove it on',
    'npm run prove -- owner/repo, a scratch one: its default branch is written to',
  );
if (!token) fail('GITHUB_TOKEN is not set', 'GITHUB_TOKEN=$(gh auth token) npm run prove -- owner/repo');

async function ask(path, { method = 'GET', body } = {}) {
  const answer = await fetch(`${api}/repos/${repository}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/vnd.github+json',
      'user-agent': 'gza-prove',
      'x-github-api-version': '2022-11-28',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  const text = await answer.text();
  const said = text === '' ? null : JSON.parse(text);
  if (answer.ok) return said;
  throw new Error(`${method} ${path} answered ${answer.status}: ${said?.message ?? ''}`);
}

const began = Date.now();
const seconds = () => `${Math.round((Date.now() - began) / 1000)} s`.padStart(6);
const seen = [];

/** Asks until it is true; what never became true is said at the end. */
async function expectSoon(what, look) {
  const until = Date.now() + Number(values.minutes) * 60_000;
  let last = '';
  while (Date.now() < until) {
    try {
      const found = await look();
      if (found) {
        seen.push({ what, isFine: true });
        console.log(`${seconds()}  ✓ ${what}`);
        return found;
      }
    } catch (error) {
      last = error.message;
    }
    await sleep(Number(values['every-ms']));
  }
  seen.push({ what, isFine: false });
  console.log(`${seconds()}  ! ${what}: not within ${values.minutes} minutes${last ? ` (${last})` : ''}`);
  throw new Error('stopped');
}

/** Asks for a change once, then approves. */
const agent = `case $GZA_STEP in
  review)
    if [ "$GZA_CYCLE" = 1 ]; then verdict=CHANGES_REQUESTED
      findings='[{"severity":"blocker","file":"'$GZA_TASK'.txt","line":1,"claim":"It does not greet","evidence":"Line 1","fix":"Greet"}]'
    else verdict=APPROVED findings='[]'; fi
    printf '\`\`\`json\\n{"nonce":"%s","verdict":"%s","findings":%s}\\n\`\`\`\\n\\nVerdict: %s\\n' "$GZA_NONCE" $verdict "$findings" $verdict ;;
  *) echo "hello from $GZA_STEP $GZA_CYCLE" >> "$GZA_TASK.txt"; echo "Wrote $GZA_TASK.txt." ;;
esac`;

const config = `agent: proof
agents:
  proof:
    command: [sh, prove/agent.sh]
verify: grep -q hello *.txt
task_types:
  implement: { auto_review: true }
`;

const folder = mkdtempSync(join(tmpdir(), 'gza-prove-'));
const basic = Buffer.from(`x-access-token:${token}`).toString('base64');
const env = {
  ...process.env,
  GIT_TERMINAL_PROMPT: '0',
  // Not in the arguments, where others on this machine could read it.
  GIT_CONFIG_COUNT: '3',
  GIT_CONFIG_KEY_0: `http.${server}/.extraheader`,
  GIT_CONFIG_VALUE_0: `AUTHORIZATION: basic ${basic}`,
  GIT_CONFIG_KEY_1: 'user.name',
  GIT_CONFIG_VALUE_1: 'gza prove',
  GIT_CONFIG_KEY_2: 'user.email',
  GIT_CONFIG_VALUE_2: 'prove@gza.invalid',
};
const clone = join(folder, 'clone');
const run = (file, ...args) => execFileSync(file, args, { cwd: clone, env, encoding: 'utf8', stdio: 'pipe' });
const write = (path, text) => {
  mkdirSync(dirname(join(clone, path)), { recursive: true });
  writeFileSync(join(clone, path), text);
};

/** Of before; null until that is known. */
let lastRun = null;

async function prove() {
  const { default_branch: base, allow_squash_merge: maySquash } = await ask('');
  lastRun = Math.max(0, ...(await ask('/actions/runs?per_page=1')).workflow_runs.map(({ id }) => id));
  mkdirSync(clone);
  run('git', 'clone', '-q', `${server}/${repository}.git`, '.');
  const task = `proof-${Date.now().toString(36)}`;
  const branch = `gza/${task}`;
  rmSync(join(clone, '.github/workflows/gza.yml'), { force: true });
  run(process.execPath, cli, 'init', '--github', ...(values.from ? ['--from', values.from] : []));
  rmSync(join(clone, 'tasks/example.yml'), { force: true });
  write('gza.yaml', config);
  write('prove/agent.sh', `${agent}\n`);
  write('.github/workflows/gza.yml', withoutSetup(run('cat', '.github/workflows/gza.yml')));
  write(`tasks/${task}.yml`, 'type: implement\ntitle: Say hello\nprompt: Say hello.\n');
  run('git', 'add', '-A');
  run('git', 'commit', '-q', '-m', `Prove gza with ${task}`);
  run('git', 'push', '-q', 'origin', `HEAD:${base}`);
  console.log(`${seconds()}  pushed tasks/${task}.yml to ${base} of ${repository}`);

  const owner = repository.split('/')[0];
  const pull = await expectSoon('a pull request is open', async () => {
    const found = await ask(`/pulls?head=${encodeURIComponent(`${owner}:${branch}`)}&state=all`);
    return found[0];
  });
  console.log(`        ${pull.html_url}`);
  const status = async (context) => {
    const { head } = await ask(`/pulls/${pull.number}`);
    const { statuses } = await ask(`/commits/${head.sha}/status`);
    return statuses.some((one) => one.context === context && one.state === 'success');
  };
  await expectSoon('a first review asked for changes', async () => {
    const reviews = await ask(`/pulls/${pull.number}/reviews`);
    return reviews.some(({ body }) => body.includes('CHANGES_REQUESTED'));
  });
  await expectSoon('its improvement was approved: gza/review', () => status('gza/review'));
  await expectSoon('its checks passed: gza/verify', () => status('gza/verify'));
  await expectSoon('it is no draft', async () => !(await ask(`/pulls/${pull.number}`)).draft);

  const { head } = await ask(`/pulls/${pull.number}`);
  const comment = await ask(`/issues/${pull.number}/comments`, {
    method: 'POST',
    body: { body: '/gza improve say it again' },
  });
  await expectSoon(
    'a comment was seen',
    async () => (await ask(`/issues/comments/${comment.id}/reactions`)).length > 0,
  );
  await expectSoon('and obeyed', async () => (await ask(`/pulls/${pull.number}`)).head.sha !== head.sha);

  await ask(`/pulls/${pull.number}/merge`, {
    method: 'PUT',
    body: { merge_method: maySquash === false ? 'merge' : 'squash' },
  });
  await expectSoon('after the merge the ledger of its branch is folded', () => {
    const refs = run('git', 'ls-remote', 'origin', 'refs/tasks/*');
    return refs.includes(`refs/tasks/${base}`) && !refs.includes(`refs/tasks/${branch}`);
  });
}

/** The agent is a shell: nothing has to be installed. */
function withoutSetup(caller) {
  return caller.replace(/^ {4}with: \{ setup: .*\}\n/m, '');
}

async function tellRuns() {
  const { workflow_runs: all } = await ask('/actions/runs?per_page=100');
  const runs = all.filter(({ id }) => id > lastRun);
  let [jobs, minutes] = [0, 0];
  for (const { id } of runs) {
    for (const job of (await ask(`/actions/runs/${id}/jobs?per_page=100`)).jobs) {
      if (job.conclusion === 'skipped') continue;
      jobs += 1;
      minutes +=
        Math.max(1, Math.ceil((Date.parse(job.completed_at) - Date.parse(job.started_at)) / 60_000)) || 1;
    }
  }
  const failed = runs.filter(
    ({ conclusion }) => conclusion === 'failure' || conclusion === 'startup_failure',
  );
  console.log(
    `\n${runs.length} runs, ${jobs} jobs, some ${minutes} minutes as a private repository is billed`,
  );
  for (const { name, html_url, conclusion } of failed) console.log(`  ! ${name}: ${conclusion}: ${html_url}`);
  if (failed.length > 0) seen.push({ what: 'no run failed', isFine: false });
}

try {
  await prove();
} catch (error) {
  if (error.message !== 'stopped') {
    console.log(`${seconds()}  ! ${error.message}`);
    seen.push({ what: error.message, isFine: false });
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
// Also of what did not come to its end: their pages say why.
if (lastRun !== null)
  await tellRuns().catch((error) => console.log(`  ! its runs could not be listed: ${error.message}`));
const wrong = seen.filter(({ isFine }) => !isFine);
console.log(wrong.length === 0 ? '\nProven.' : '\nNot proven; docs/first-run.md says where to look.');
process.exitCode = wrong.length === 0 ? 0 : 1;
