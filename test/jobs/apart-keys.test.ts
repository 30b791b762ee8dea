/** Where the agent is another user, its key stays with the user of the job: what it can reach of it, and what it costs. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { callerWorkflow } from '../../src/core/text/doctor/caller-workflow.ts';
import { begun, ended, provider, stream } from '../agents/provider.ts';
import { canSwitch, putSudo, uid } from './other-user.ts';
import { openStage, recordIn, removeProduct, type Stage } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
let tools: string;
beforeEach(() => {
  tools = mkdtempSync(join(tmpdir(), 'gza-keys-'));
  chmodSync(tools, 0o755);
});
afterEach(async () => {
  rmSync(tools, { recursive: true, force: true });
  await stage.github.close();
});
afterAll(removeProduct);

/** Asks its model once, then reads all environments, command lines and files that it can. */
const agent = `#!${process.execPath}
const fs = require('fs');
const { env } = process;
if (process.argv.includes('--version')) { console.log('1.0.0'); process.exit(); }
const look = (path) => { try { return fs.readFileSync(path, 'latin1'); } catch { return ''; } };
const processes = fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name));
// The play itself is root here and holds all secrets; what of it another user can see is what this is about.
const seen = [
  JSON.stringify(env), process.argv.join(),
  ...processes.flatMap((pid) => [look('/proc/' + pid + '/environ'), look('/proc/' + pid + '/cmdline')]),
  ...fs.readdirSync(env.HOME, { recursive: true }).map((name) => look(env.HOME + '/' + name)),
].join('\\n');
fetch(env.ANTHROPIC_BASE_URL + '/v1/messages', {
  method: 'POST', headers: { 'x-api-key': env.ANTHROPIC_API_KEY },
  body: JSON.stringify({ model: 'claude-test', stream: true }),
}).then((response) => response.text().then((text) => {
  const keys = ['in-the-secret', 'in-the-lines', 'of-another-agent', 'kept-login'].filter((part) => seen.includes(part));
  const names = Object.keys(env).filter((name) => /ANTHROPIC|OPENAI|XAI|CLAUDE_CODE_O|GZA_AGENT_ENV/.test(name)).sort();
  const found = { user: process.getuid(), keys, names, status: response.status };
  fs.mkdirSync('src', { recursive: true });
  fs.writeFileSync('src/answer.js', '// ' + JSON.stringify(found) + '\\n');
  console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: 's' }));
  const told = { subtype: 'success', is_error: false, result: 'Written.', num_turns: 1, total_cost_usd: 0.000001 };
  console.log(JSON.stringify({ type: 'result', session_id: 's', ...told }));
}));
`;

(canSwitch ? test : test.skip)(
  'as a user of its own an agent reaches no key, and costs what its model told the job’s user',
  async () => {
    const upstream = await provider((response) => stream(response).end(begun(100_000) + ended(1000)));
    putSudo(tools);
    writeFileSync(join(tools, 'claude'), agent, { mode: 0o755 });
    const caller = callerWorkflow({ minute: 17, branch: 'main' });
    const lines = [
      `ANTHROPIC_BASE_URL=${upstream.url}`,
      'ANTHROPIC_API_KEY=sk-in-the-lines-0123456789',
      'XAI_API_KEY=xai-of-another-agent-0123456789',
      'GITHUB_TOKEN=ghp_of-another-agent',
    ];
    stage = await openStage({
      'gza.yaml':
        'agent: claude\nprices: { claude-test: { input: 2, output: 10 } }\nenv: [GZA_AGENT_ENV, GITHUB_TOKEN]\n',
      '.github/workflows/gza.yml': caller.replace(
        'secrets:\n',
        'secrets:\n      GZA_AGENT_ENV: ${{ secrets.LINES }}\n',
      ),
    });
    const { github, play, file } = stage;
    await github.commit({
      branch: 'main',
      files: { 'tasks/answer.yml': 'type: implement\nprompt: Write it.\n' },
    });
    const report = await play({
      inProcess: false,
      path: tools,
      env: { ImageOS: 'ubuntu24' },
      secrets: {
        ANTHROPIC_API_KEY: 'sk-in-the-secret-0123456789',
        CLAUDE_CODE_OAUTH_TOKEN: 'kept-login-0123456789',
        OPENAI_API_KEY: 'sk-of-another-agent-0123456789',
        LINES: lines.join('\n'),
      },
    });
    const written = await file('gza/answer', 'src/answer.js');
    expect({ written, said: report.transcript() }).toEqual({
      written: expect.stringMatching(/^\/\/ \{/),
      said: expect.anything(),
    });
    expect(JSON.parse((written ?? '').slice(3))).toEqual({
      user: uid,
      keys: [],
      names: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
      status: 200,
    });
    // Its own variable counts before a line.
    expect(upstream.asked.map(({ headers }) => headers['x-api-key'])).toEqual([
      'sk-in-the-secret-0123456789',
    ]);
    const said = report.jobs.flatMap(({ steps }) => steps.map(({ log }) => log)).join('\n');
    expect(said).toContain('the model proxy holds the key for 127.0.0.1');
    const record = await recordIn(stage, 'refs/tasks/gza/answer', 'answer');
    expect(record['cost_usd']).toBeCloseTo(0.2101, 6);
  },
);
