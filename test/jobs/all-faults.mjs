// `npm run test:faults`: all that can go wrong in a session, each in a play of its own. `-- 156` plays so many by chance,
// `-- 7:156` the same ones again, `-- '7:20 verify|land'` of those whose name that matches, `-- 'kill .* of merge'` all
// of those. GZA_FAULTS_LOG names a file that is written as it goes.
import { spawnSync } from 'node:child_process';

const wish = process.argv.slice(2).join(' ') || 'all';
const { status } = spawnSync('npm', ['run', 'jest', '--', 'test/jobs/every-fault'], {
  env: { ...process.env, GZA_FAULTS: wish },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
