// `npm run test:faults`: every mishap of every request, for hours. `-- 20` plays twenty by chance, `-- 7:20` the same
// twenty again, `-- 'kill .* of merge'` those whose name it matches. GZA_FAULTS_LOG names a file that is written as it goes.
import { spawnSync } from 'node:child_process';

const [wish = 'all'] = process.argv.slice(2);
const { status } = spawnSync('npm', ['run', 'jest', '--', 'test/jobs/every-fault'], {
  env: { ...process.env, GZA_FAULTS: wish },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
