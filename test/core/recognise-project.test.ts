import { expect, test } from '@jest/globals';
import { recogniseProject } from '../../src/core/doctor/recognise-project.ts';

const pkg = (more: object = {}) =>
  JSON.stringify({ scripts: { test: 'vitest' }, devDependencies: { vitest: '3' }, ...more });
const placeholder = { scripts: { test: 'echo "Error: no test specified" && exit 1' } };
const venv = 'python3 -m venv .venv && .venv/bin/pip install';
const pytest = '.venv/bin/python -m pytest';

type Row = [
  string,
  Record<string, string>,
  (string | undefined)?,
  (string | undefined)?,
  (string | undefined)?,
];

const rows: Row[] = [
  ['nothing', {}],
  ['npm', { 'package.json': pkg(), 'package-lock.json': '{}' }, 'npm ci', 'npm test'],
  ['npm, shrinkwrapped', { 'package.json': pkg(), 'npm-shrinkwrap.json': '{}' }, 'npm ci', 'npm test'],
  ['npm without a lockfile', { 'package.json': pkg() }, 'npm install --no-package-lock', 'npm test'],
  ['npm with nothing to install', { 'package.json': pkg({ devDependencies: {} }) }, undefined, 'npm test'],
  ['a test that npm made up', { 'package.json': pkg(placeholder), 'package-lock.json': '{}' }, 'npm ci'],
  [
    'no test at all',
    { 'package.json': '{"dependencies":{"test":"1"}}', 'package-lock.json': '{}' },
    'npm ci',
  ],
  ['a broken package.json', { 'package.json': '{ "test": ' }],
  [
    'pnpm',
    { 'package.json': pkg(), 'pnpm-lock.yaml': '' },
    'pnpm install --frozen-lockfile',
    'pnpm test',
    'corepack enable',
  ],
  [
    'yarn 1',
    { 'package.json': pkg(), 'yarn.lock': '# yarn lockfile v1\n' },
    'yarn install --frozen-lockfile',
    'yarn test',
  ],
  [
    'yarn of today',
    { 'package.json': pkg(), 'yarn.lock': '# generated\n\n__metadata:\n  version: 8\n' },
    'yarn install --immutable',
    'yarn test',
    'corepack enable',
  ],
  [
    'bun',
    { 'package.json': pkg(), 'bun.lock': '{}' },
    'bun install --frozen-lockfile',
    'bun run test',
    'npm install --global bun@1.4.4',
  ],
  [
    'two lockfiles, and the one that is meant',
    {
      'package.json': pkg({ packageManager: 'npm@11.0.0' }),
      'pnpm-lock.yaml': '',
      'package-lock.json': '{}',
    },
    'npm ci',
    'npm test',
  ],
  [
    'uv',
    { 'pyproject.toml': '', 'uv.lock': 'name = "pytest"\n' },
    'uv sync',
    'uv run pytest',
    'pipx install uv==0.13.8',
  ],
  [
    'uv without tests',
    { 'pyproject.toml': '', 'uv.lock': 'name = "six"\n' },
    'uv sync',
    undefined,
    'pipx install uv==0.13.8',
  ],
  [
    'poetry',
    { 'poetry.lock': '[[package]]\nname = "pytest"\n' },
    'poetry install',
    'poetry run pytest',
    'pipx install poetry==2.5.1',
  ],
  ['requirements', { 'requirements.txt': 'flask\npytest==8\n' }, `${venv} -r requirements.txt`, pytest],
  [
    'requirements for work on it',
    { 'requirements.txt': 'flask\n', 'requirements-dev.txt': 'black\n', 'pytest.ini': '' },
    `${venv} -r requirements.txt -r requirements-dev.txt pytest`,
    pytest,
  ],
  ['requirements without tests', { 'requirements.txt': 'flask\n' }, `${venv} -r requirements.txt`],
  [
    'a Python package',
    { 'pyproject.toml': '[project]\nname = "x"\n[tool.pytest]\n' },
    `${venv} -e . pytest`,
    pytest,
  ],
  ['a pyproject.toml for a formatter', { 'pyproject.toml': '[tool.black]\n' }],
  ['go', { 'go.mod': '' }, 'go mod download', 'go test ./...'],
  ['cargo', { 'Cargo.toml': '', 'Cargo.lock': '' }, 'cargo fetch --locked', 'cargo test'],
  ['maven', { 'pom.xml': '' }, undefined, 'mvn --batch-mode --quiet verify'],
  ['maven with its wrapper', { 'pom.xml': '', mvnw: '' }, undefined, './mvnw --batch-mode --quiet verify'],
  ['gradle', { 'build.gradle.kts': '', gradlew: '' }, undefined, './gradlew test'],
  [
    'bundler with rspec',
    { 'Gemfile.lock': 'GEM\n  specs:\n    rspec (3.13.0)\n', '.rspec': '' },
    'bundle config set --local path vendor/bundle && bundle install',
    'bundle exec rspec',
  ],
  [
    'bundler with rake',
    { 'Gemfile.lock': 'GEM\n  specs:\n    rake (13.0.0)\n', Rakefile: '' },
    'bundle config set --local path vendor/bundle && bundle install',
    'bundle exec rake',
  ],
  [
    'Go with a package.json for a formatter',
    { 'package.json': '{}', 'go.mod': '' },
    'go mod download',
    'go test ./...',
  ],
];

test.each(rows)('%s', (...[, files, setup, verify, tool]) => {
  const found = recogniseProject((name) => files[name] ?? null);
  expect([found.setup, found.verify, found.tool]).toEqual([setup, verify, tool]);
});
