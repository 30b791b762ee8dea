import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { removeAll } from '../../src/workspace/workspace.ts';

test('what goes is the folder itself: links, in its place or in it, lead nowhere', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'gza-remove-'));
  try {
    const precious = join(dir, 'precious');
    mkdirSync(join(precious, 'below'), { recursive: true, mode: 0o755 });
    writeFileSync(join(precious, 'below', 'kept'), '');
    symlinkSync(precious, join(dir, 'link'));
    mkdirSync(join(dir, 'folder', 'closed'), { recursive: true });
    writeFileSync(join(dir, 'folder', 'closed', 'file'), '');
    symlinkSync(precious, join(dir, 'folder', 'closed', 'link'));
    for (const name of ['link', 'folder', 'absent']) await removeAll(join(dir, name));
    expect([existsSync(join(dir, 'link')), existsSync(join(dir, 'folder'))]).toEqual([false, false]);
    expect(existsSync(join(precious, 'below', 'kept'))).toBe(true);
    expect(statSync(precious).mode & 0o777).toBe(0o755);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
});
