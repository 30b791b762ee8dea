/** The built program with a real agent and its review, in a repository of its own: what its ledgers say of the cost. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { startModelServer } from './model-server.mjs';

const answer = 'Done: that is all.';

/** No two answers cost the same, so that one that is left out or counted twice is seen. */
export const unequal = (nth) => ({
  input: 1000 + 7 * nth,
  cached: 200 + nth,
  output: 50 + 3 * nth,
  reasoning: 10 + nth,
});

export async function ledgerAgrees({ program, name, bin }) {
  const dir = mkdtempSync(join(tmpdir(), `gza-ledger-${name}-`));
  const [repo, home] = [join(dir, 'repo'), join(dir, 'home')];
  // The work is a tool call and an answer; a review says nothing clear, and is asked once more.
  const script = ({ results, raw, tools }) => {
    if (tools.length === 0) return { text: 'A title' };
    if (raw.includes('# Review 1 of')) return { text: 'I have looked at it.' };
    return results === 0 ? { tool: program.shell('echo 1 > a.txt') } : { text: answer };
  };
  const server = await startModelServer(script, unequal);
  try {
    const { address = () => ({}) } = program;
    const env = {
      PATH: [dirname(bin), process.env.PATH].join(delimiter),
      HOME: home,
      ...program.keys,
      ...address(server.url),
    };
    const git = (...words) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words]);
    git('init', '-q', '-b', 'main', repo);
    const task = '{ id: a, type: implement, title: A, prompt: Write a.txt., auto_review: true }';
    const model = program.model;
    mkdirSync(join(repo, 'tasks'));
    writeFileSync(join(repo, 'tasks', 'all.yml'), `tasks:\n  - ${task}\n`);
    writeFileSync(
      join(repo, 'gza.yaml'),
      `agents: { ${name}: { model: ${model}, prices: { input: 2, output: 10 } } }\nagent: ${name}\n`,
    );
    git('-C', repo, 'add', '.');
    git('-C', repo, 'commit', '-qm', 'Begin');
    const cli = join(import.meta.dirname, '..', '..', '..', 'dist', 'cli.js');
    // The server answers from this process meanwhile. How work ends is told by its record.
    const run = (...words) =>
      new Promise((done) => {
        const options = { cwd: repo, env, timeout: 120_000, maxBuffer: 32 << 20 };
        execFile(process.execPath, [cli, ...words], options, (_error, stdout, stderr) =>
          done({ stdout, stderr }),
        );
      });
    const worked = await run('work', 'a');
    const { steps, cost_usd } = JSON.parse((await run('show', 'a', '--json')).stdout);
    const { days } = JSON.parse((await run('summary', '--json')).stdout);
    const [day = {}] = days;
    const sum = (rows, what) => rows.reduce((all, one) => all + (one[what] ?? 0), 0);
    const spent = Object.values(server.spent);
    const [input, output] = [sum(spent, 'input'), sum(spent, 'output')];
    const usd = (input * 2 + output * 10) / 1e6;
    const isSame =
      sum(steps, 'input_tokens') === input &&
      sum(steps, 'output_tokens') === output &&
      Math.abs(cost_usd - usd) < 1e-5 &&
      [day.input_tokens, day.output_tokens].join() === [input, output].join() &&
      steps.map(({ step }) => step).join() === 'implement,review';
    if (isSame) return undefined;
    return JSON.stringify({
      server: server.spent,
      usd,
      steps,
      cost_usd,
      day,
      said: worked.stdout + worked.stderr,
    });
  } finally {
    await server.close();
    rmSync(dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
