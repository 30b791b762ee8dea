// `npm run check`: all of them side by side, each told as a whole when it ends, failures too.
import { spawn } from 'node:child_process';

const checks = ['types', 'lint', 'format:check', 'unused', 'drift'];

function run(name) {
  const began = Date.now();
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const seconds = ((Date.now() - began) / 1000).toFixed(1);
      console.log(`\n${name}: ${code === 0 ? 'fine' : 'FAILED'} (${seconds} s)`);
      process.stdout.write(Buffer.concat(said));
      resolve(code === 0 ? [] : [name]);
    });
  });
}

const failed = (await Promise.all(checks.map(run))).flat();
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
