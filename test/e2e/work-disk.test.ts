import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cliFile, start } from './cli.ts';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it., max_attempts: 1${more} }\n`;

/** A small disk of its own, where the system lets an ordinary user mount one. */
const canMount =
  spawnSync('sh', ['-c', 'unshare -rm mount -t tmpfs none /mnt'], { stdio: 'ignore' }).status === 0;
const onSmallDisk = canMount ? test : test.skip;

onSmallDisk(
  `an agent that fills the disk ends its own step; what others did stays, and with room again the work goes on`,
  async () => {
    await using shop = openWorkshop({
      tasks: `tasks:\n${task('a')}${task('fills')}${task('b')}`,
      agents: {
        x: `case $GZA_TASK in
  fills) [ -e "$D/room" ] && echo x > fills.txt || { echo x > fills.txt; cat /dev/zero > "$D/disk/big"; cat /dev/zero > big.bin; } ;;
  *) echo x > $GZA_TASK.txt ;;
esac; echo done`,
      },
    });
    const disk = join(shop.dir, 'disk');
    const kept = join(shop.dir, 'state');
    mkdirSync(disk);
    // The repository and gza's folder are on the small disk while gza runs, and come back from it.
    const env = { ...shop.env, XDG_STATE_HOME: join(disk, 'state') };
    const run = (size: string, ...words: string[]) => {
      const script = `mount -t tmpfs -o size=${size} none "${disk}" && cp -a "${shop.repo}" "${disk}/repo" && mkdir -p "${kept}" && cp -a "${kept}" "${disk}/state" && cd "${disk}/repo" || exit 99
${process.execPath} "${cliFile}" ${words.join(' ')}; code=$?
rm -f "${disk}/big"; rm -rf "${shop.repo}" "${kept}"; cp -a "${disk}/repo" "${shop.repo}"; cp -a "${disk}/state" "${kept}"; exit $code`;
      return start(['sh', '-c', 'exec unshare -rm sh -c "$0"', script], { cwd: shop.dir, env });
    };
    const full = await run('24m', 'work', '--all');
    expect(full.stderr).not.toMatch(/\n {4}at /);
    expect(shop.git('show', 'gza/a:a.txt')).toBe('x');
    expect({ code: full.code, told: full.stdout }).toEqual({
      code: 1,
      told: expect.stringMatching(/the disk is full|No space left/),
    });
    expect(shop.git('fsck', '--connectivity-only')).not.toMatch(/missing|broken/);
    shop.write('../room', '');
    const again = await run('200m', 'work', '--all');
    expect({ code: again.code, out: again.stdout }).toEqual({
      code: 0,
      out: expect.stringContaining('✓ Task #fills completed'),
    });
    expect(shop.git('show', 'gza/fills:fills.txt')).toBe('x');
    expect(shop.git('show', 'gza/b:b.txt')).toBe('x');
    expect(await shop.says('fsck')).not.toMatch(/problem/i);
    expect(shop.strays()).toEqual([]);
  },
);

test('what an agent writes beyond the bounds of a file, or of a patch, is not committed, and is named', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('file')}${task('many')}`,
    agents: {
      x: `case $GZA_TASK in
  file) head -c 60000000 /dev/zero > huge.bin; echo x > small.txt ;;
  many) mkdir m; i=0; while [ $i -lt 12000 ]; do : > m/$i; i=$((i+1)); done; echo x > small.txt ;;
esac; echo done`,
    },
  });
  const { stdout } = await shop.work('--all');
  expect(stdout).toMatch(/not committed: huge\.bin: /);
  expect(shop.git('ls-tree', '--name-only', 'gza/file').split('\n')).not.toContain('huge.bin');
  const waiting = await shop.json<{ id: string; reason: string; detail: string }[]>('escalations');
  expect(waiting).toMatchObject([{ id: 'many', reason: 'refused-changes' }]);
  expect(waiting[0]?.detail).toMatch(/the limit is/);
  const objects = execFileSync('du', ['-sk', join(shop.repo, '.git/objects')], { encoding: 'utf8' });
  expect(Number.parseInt(objects, 10)).toBeLessThan(20_000);
  expect(readdirSync(shop.state('clones'))).toHaveLength(1);
  expect(existsSync(join(shop.repo, 'huge.bin'))).toBe(false);
  expect(shop.git('status', '--porcelain')).toBe('');
});
