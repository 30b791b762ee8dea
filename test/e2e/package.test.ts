/** What a release brings: a package that runs where nothing else is. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { home } from '../../src/core/text/doctor/home.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gza-package-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = { PATH: process.env['PATH'] ?? '', HOME: folder, npm_config_cache: join(folder, 'cache') };
const run = (cwd: string, file: string, ...args: string[]) =>
  execFileSync(file, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

test('the package installs from its tarball alone, and runs the demo and the action', () => {
  const source = join(folder, 'source');
  run(root, 'git', 'clone', '-q', '--depth=1', `file://${root}`, source);
  // What is packed is what stands here, committed or not.
  for (const path of ['package.json', 'release.mjs', 'CHANGELOG.md', 'dist', 'man'])
    run(root, 'cp', '-R', path, source);
  const said = run(source, process.execPath, 'release.mjs', '--dry-run');
  const release = join(source, 'release');
  const [tarball = ''] = readdirSync(release).filter((name) => name.endsWith('.tgz'));
  expect(said).toContain(tarball);
  expect(readFileSync(join(release, 'checksums.txt'), 'utf8')).toMatch(
    new RegExp(`^[0-9a-f]{64} {2}${tarball}\n[0-9a-f]{64} {2}dist/index.js\n`),
  );
  expect(readFileSync(join(release, 'notes.md'), 'utf8')).toContain('### Added');
  expect(() => run(source, process.execPath, 'release.mjs', 'v9.9.9')).toThrow(/Expected: v\d/);
  // What workflows name is what the release moves.
  expect(readFileSync(join(release, 'ref.txt'), 'utf8')).toBe(`${home.ref}\n`);
  const later = readFileSync(join(source, 'package.json'), 'utf8').replace(
    /"version": ".*"/,
    '"version": "7.0.0"',
  );
  writeFileSync(join(source, 'package.json'), later);
  expect(() => run(source, process.execPath, 'release.mjs', '--dry-run')).toThrow(/Expected there: v7/);

  const empty = join(folder, 'empty');
  mkdirSync(empty);
  writeFileSync(join(empty, 'package.json'), '{"private":true}\n');
  // It needs nothing else, so no registry is asked.
  run(empty, 'npm', 'install', '--offline', '--no-audit', '--no-fund', join(release, tarball));
  expect(readdirSync(join(empty, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
    '@gza-dev',
  ]);
  expect(run(empty, join(empty, 'node_modules/.bin/gza'), 'demo')).toContain('APPROVED');
  expect(run(empty, join(empty, 'node_modules/.bin/git-tasks'), '--version')).toMatch(/\d+\.\d+\.\d+/);
  const index = join(empty, 'node_modules/@gza-dev/gza/dist/index.js');
  const action = execFileSync(process.execPath, [index], {
    cwd: empty,
    encoding: 'utf8',
    env: { ...env, INPUT_COMMAND: '--version', GITHUB_REPOSITORY: 'a/b', RUNNER_TEMP: folder },
  });
  expect(action).toMatch(/\d+\.\d+\.\d+/);
});
