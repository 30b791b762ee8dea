const { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync } = require('node:fs');
const { join } = require('node:path');

const { GZA_ACT_ARTIFACTS: store, GITHUB_OUTPUT: output, INPUT_PATH: path } = process.env;
if (!existsSync(path)) process.exit(0);
const id = readdirSync(store).length + 1;
mkdirSync(join(store, String(id)));
cpSync(path, join(store, String(id)), { recursive: true });
appendFileSync(output, `artifact-id=${id}\n`);
