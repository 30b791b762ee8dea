/** What code under test can reach of the verify job, as another user and where there is no other one. */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { probeBubblewrap } from '../../src/agents/sandbox/sandbox.ts';
import { canSwitch, putSudo, uid } from './other-user.ts';
import { config, openStage, removeProduct, type Stage, task } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
let tools: string;
beforeEach(() => {
  tools = mkdtempSync(join(tmpdir(), 'gza-sudo-'));
  chmodSync(tools, 0o755);
});
afterEach(async () => {
  rmSync(tools, { recursive: true, force: true });
  await stage.github.close();
});
afterAll(removeProduct);

/** Goes up to the runner: looks, writes and sends signals where it may, and says what it found. */
const probe = `#!/bin/bash
echo "user $(id -u)"
env | grep -qE '^(ACTIONS_|GITHUB_(OUTPUT|ENV|STEP_SUMMARY|STATE|PATH)|INPUT_)' && echo 'found in the environment'
pid=$$
while true; do
  pid=$(awk '{ print $4 }' /proc/$pid/stat)
  line=$(tr '\\0' ' ' < /proc/$pid/cmdline)
  [[ "$line" =~ index.js|sudo|probe ]] || break
  [[ "$line" =~ index.js ]] || continue
  if kill -USR1 $pid 2> /dev/null; then echo "signalled $(stat -c %u /proc/$pid)"; fi
  tr '\\0' '\\n' 2> /dev/null < /proc/$pid/environ > /tmp/gza-probe.$$ || echo 'an environment is closed'
  grep -q '^ACTIONS_RUNTIME_TOKEN=' /tmp/gza-probe.$$ && echo 'found a token'
  for file in $(sed -n 's/^GITHUB_OUTPUT=//p' /tmp/gza-probe.$$); do
    { echo 'verified=/forged' >> $file; } 2> /dev/null && echo 'wrote an output'
  done
  echo '::set-output name=verified::/forged' 2> /dev/null > /proc/$pid/fd/1 && echo 'wrote to the log'
done
rm -f /tmp/gza-probe.$$
sudo -n true 2> /dev/null && echo 'became root'
sleep 1
exit 1
`;

/** The verify job's log, and what became of the branch. */
async function verifyWith(env: Readonly<Record<string, string>>, path?: string, script = probe) {
  const checks = config.replace('node --check src/answer.js', 'bash probe.sh');
  stage = await openStage({ 'gza.yaml': checks, 'probe.sh': script });
  const { github, play } = stage;
  await github.commit({ branch: 'main', files: { 'tasks/answer.yml': `${task}max_attempts: 1\n` } });
  const report = await play({
    inProcess: false,
    env: { ACTIONS_RUNTIME_TOKEN: 'runtime', ...env },
    ...(path ? { path } : {}),
  });
  const jobs = report.jobs.filter(({ name }) => name.includes('/ verify'));
  const steps = jobs.flatMap((job) => job.steps);
  return {
    result: jobs[0]?.result,
    log: steps.map(({ log }) => log).join('\n'),
    outputs: steps.map(({ outputs }) => outputs['verified'] ?? '').filter(Boolean),
    errors: steps.flatMap(({ annotations }) => annotations).map(({ message }) => message),
    said: report.transcript(),
  };
}

const leftFolders = () => readdirSync(tools).filter((name) => name.startsWith('gza-agent-'));

(canSwitch ? test : test.skip)(
  'as a user of its own, code under test reaches no token, no output, no process and no root of the verify job',
  async () => {
    putSudo(tools);
    const { result, log, outputs, errors, said } = await verifyWith({ ImageOS: 'ubuntu24' }, tools);
    expect({ result, said }).toEqual({ result: 'failure', said });
    expect(log).toContain('The checks run as the user gza-agent, who has no sudo.');
    expect(log).toContain(`| user ${uid}`);
    expect(log).toContain('an environment is closed');
    expect(log).not.toMatch(/\| (found|wrote an|became|signalled 0)|debugger/i);
    expect(outputs).toEqual([expect.stringMatching(/\/gza-verified$/)]);
    expect(errors).toEqual([expect.stringContaining('the checks failed')]);
    const verified = stage.github.state.statuses.filter(({ context }) => context === 'gza/verify');
    expect(verified.map(({ state }) => state)).toEqual(['failure']);
  },
);

const probed = await probeBubblewrap();

(canSwitch && 'file' in probed ? test : test.skip)(
  'that user’s checks run in the sandbox, which the machine is made to allow, and see no process but their own',
  async () => {
    putSudo(tools);
    const look = `#!/bin/bash
echo "user $(id -u), $(cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c '[i]ndex.js') of gza"
echo "$(cat /tmp/gza-agent-*/{work/*,work/.git/config,temp/given/*} 2> /dev/null | wc -c) bytes of the job"
sleep 1
exit 1
`;
    const { log, said } = await verifyWith({ ImageOS: 'ubuntu24', GZA_ISOLATION: '' }, tools, look);
    expect(said).toContain('sandbox: bubblewrap');
    expect(log).toContain(`| user ${uid}, 0 of gza`);
    expect(log).toContain('| 0 bytes of the job');
    expect(readFileSync(join(tools, 'asked'), 'utf8')).toContain(
      'kernel.apparmor_restrict_unprivileged_userns=0',
    );
  },
);

test('where the other user cannot be made the checks run as this one, and nothing is left behind', async () => {
  const sudo = '#!/bin/bash\nshift; case "$1" in useradd) exit 1 ;; rm) exec "$@" ;; esac\n';
  writeFileSync(join(tools, 'sudo'), sudo, { mode: 0o755 });
  const { log } = await verifyWith({ ImageOS: 'ubuntu24', TMPDIR: tools }, tools);
  expect(log).toContain('The checks run as the user of this job: the user gza-agent could not be made.');
  expect(leftFolders()).toEqual([]);
});

test('as the same user it finds nothing in its environment and opens no debugger, and that it is the same user is said', async () => {
  const seen = join(tools, 'seen');
  const names = "compgen -e | grep -E '^(ACTIONS_|INPUT_|GITHUB_(OUTPUT|ENV|STEP_SUMMARY|STATE|PATH)$)'";
  const git = spawnSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).stdout.trim();
  // Of what gza starts; a script of the runner's may know.
  const script = `#!/bin/bash\n[[ $(tr '\\0' ' ' < /proc/$PPID/cmdline) =~ index.js ]] && { echo git; ${names}; } >> ${seen}\nexec ${git} "$@"\n`;
  writeFileSync(join(tools, 'git'), script, { mode: 0o755 });
  const { result, log, said } = await verifyWith({}, tools);
  expect(new Set(readFileSync(seen, 'utf8').trim().split('\n'))).toEqual(new Set(['git']));
  expect({ result, said }).toEqual({ result: 'failure', said });
  expect(log).toContain('The checks run as the user of this job: this is no Linux machine of GitHub’s own.');
  expect(log).toContain('| signalled');
  expect(log).not.toMatch(/found in the environment|debugger listening|starting inspector/i);
});
