import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, expect, jest, test } from '@jest/globals';
import { root } from '../e2e/cli.ts';
import { openStage, removeProduct, type Stage, scriptedAgent } from './stage.ts';

jest.setTimeout(600_000);

let stage: Stage;
afterEach(() => stage.github.close());
afterAll(removeProduct);

const keys = [
  'ANTHROPIC_API_KEY',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'OPENAI_API_KEY',
  'GEMINI_API_KEY',
  'COPILOT_GITHUB_TOKEN',
  'LINEAR_API_KEY',
];

/** A program that prints what the real one once printed, after it did its work. */
function program(tools: string, name: string, recorded: string, work = ''): void {
  const output = join(root, 'test/fixtures/recorded', name, recorded);
  const script = `#!/bin/sh\n[ "$1" = --version ] && { echo 1.0.0; exit; }\n${work}\ncat '${output}'\n`;
  writeFileSync(join(tools, name), script);
  chmodSync(join(tools, name), 0o755);
}

test('the machines of a lane are given the key of the agent that works there, and no other', async () => {
  const tools = mkdtempSync(join(tmpdir(), 'gza-tools-'));
  try {
    program(tools, 'codex', 'writes.stdout', 'mkdir -p src; echo "// by codex" > src/codex.js');
    program(tools, 'claude', 'readonly.stdout');
    const command = JSON.stringify([process.execPath, scriptedAgent]);
    stage = await openStage({
      'gza.yaml': `agent: codex
parallel_workers: 3
agents:
  claude: {}
  mine: { command: ${command}, prompt_via: stdin, env: [GEMINI_API_KEY, LINEAR_API_KEY] }
`,
    });
    const { github, play } = stage;
    const task = (more: string) => `type: implement\nprompt: Write it.\n${more}`;
    await github.commit({
      branch: 'main',
      files: {
        'tasks/codex.yml': task('auto_review: true\n'),
        'tasks/mine.yml': task('agent: mine\n'),
        'tasks/both.yml': task('agent: [claude, codex]\n'),
      },
    });
    const secrets = Object.fromEntries(keys.map((name) => [name, `value of ${name}`]));
    const report = await play({ path: tools, secrets, stopAfter: 2 });
    const lanes = report.jobs.filter(
      ({ name, result }) => name.startsWith('gza / lane (') && result !== 'skipped',
    );
    const given = (task: string) => {
      const agents = lanes.filter(({ name }) => name.includes(`(${task}, `) && name.endsWith('/ agent'));
      return [...new Set(agents.map((job) => job.secrets.join()))];
    };
    // Nobody else has any.
    const others = lanes.filter(({ name }) => /\/ (?:land|verify)$/.test(name));
    expect(others.length).toBeGreaterThan(3);
    expect(others.flatMap(({ secrets: held }) => held)).toEqual([]);
    const claude = 'ANTHROPIC_API_KEY,CLAUDE_CODE_OAUTH_TOKEN';
    const [mine, both, codex] = ['mine', 'both', 'codex'].map(given);
    expect({ mine, both, codex, said: report.transcript() }).toEqual({
      mine: ['GEMINI_API_KEY'],
      both: [claude],
      // One writes, and another one reviews.
      codex: ['OPENAI_API_KEY', claude],
      said: expect.anything(),
    });
  } finally {
    rmSync(tools, { recursive: true, force: true });
  }
});
