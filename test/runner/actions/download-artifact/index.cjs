const { cpSync, mkdirSync } = require('node:fs');
const { join } = require('node:path');

const { GZA_ACT_ARTIFACTS: store, INPUT_PATH: path } = process.env;
const id = process.env['INPUT_ARTIFACT-IDS'] ?? '';
// act leaves the expression where the job that would set it was skipped: nothing was kept then.
if (!/^\d+$/.test(id)) process.exit(0);
mkdirSync(path, { recursive: true });
cpSync(join(store, id), path, { recursive: true });
