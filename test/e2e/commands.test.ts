import { spawn } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { cliFile, executable, openSandbox, type Sandbox, start } from './cli.ts';

test('an agent claims under its own name and gives back only its own', async () => {
  await using box = openSandbox();
  const [mine, other] = [await box.add('Mine'), await box.add('Of another')];
  await box.says(`claim ${other} --as ann`);
  const env = { GZA_AGENT: 'claude' };
  expect(await box.says(`claim ${mine}`, { env })).toContain(`${mine}: claimed by claude until`);
  expect((await box.gza(['claim', mine, '--as', 'ann'], { env })).code).toBe(2);
  expect((await box.gza(['claim', other], { env })).code).toBe(3);
  const refused = await box.gza(['release', other], { env });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(`${other} is held by ann`);
  expect(await box.says(`release ${mine}`, { env })).toBe(`${mine}: released (was held by claude)\n`);
  // What a lane's ledger alone knows to be closed is nobody's to take.
  box.git('switch', '--quiet', '--create', 'lane');
  const closed = await box.add('Closed in a lane');
  await box.says(`done ${closed}`);
  expect(await box.gza(['claim', closed])).toMatchObject({ code: 2, stdout: '' });
});

test('an unknown command names the nearest, an unknown or ambiguous id lists the candidates', async () => {
  await using box = openSandbox();
  expect((await box.gza(['lst'])).stderr).toBe(
    'Error: unknown command "lst": did you mean list?\n  gza --help lists all commands.\n',
  );
  expect((await box.gza(['show', 'x'])).stderr).toContain('No task is open. File one: gza add');
  box.write(
    'tasks/t.yml',
    'tasks:\n  - {id: login-page, title: A page}\n  - {id: login-form, title: A form}\n',
  );
  for (const word of ['login-page', '#login-page', 'login-p']) {
    expect(await box.says(['show', word])).toMatch(/^login-page: A page\n/);
  }
  const ambiguous = await box.gza(['done', 'login']);
  expect(ambiguous).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Error: "login" could be 2 tasks\n  login-page: A page\n  login-form: A form\n',
  });
  expect(JSON.parse((await box.gza(['done', 'login', '--json'])).stdout)).toEqual({
    error: {
      code: 'input',
      message: '"login" could be 2 tasks',
      hint: 'login-page: A page\nlogin-form: A form',
      candidates: ['login-page', 'login-form'],
    },
  });
  const unknown = await box.gza(['show', 'login-pgae']);
  expect(unknown.code).toBe(2);
  expect(unknown.stderr).toContain('there is no task "login-pgae": did you mean login-page?');
  expect(unknown.stderr).toContain('login-form: A form');
  expect((await box.gza(['status', 'nogroup'])).stderr).toContain('no task is in group "nogroup"');
});

test('the text comes from the words, from standard input or from the editor', async () => {
  await using box = openSandbox();
  const contentOf = async (id: string) => (await box.json(`show ${id}`))['content'];
  expect(await contentOf(await box.add('several', 'words'))).toBe('several words');
  expect(await contentOf(await box.add('--', '--not-an-option'))).toBe('--not-an-option');
  const piped = async (args: string, stdin: string) =>
    (await box.says(`add ${args}`.trim(), { stdin })).split(':')[0] as string;
  expect(await contentOf(await piped('', '# Title\r\n\r\nBody\r\n'))).toBe('# Title\n\nBody');
  expect(await contentOf(await piped('-', 'asked for\n'))).toBe('asked for');

  const editor = executable(
    box.dir,
    'editor',
    '#!/bin/sh\ncp "$1" "$1.seen"\nprintf "# Written\\n\\nin the editor\\n" >> "$1"\n',
  );
  const id = (await box.says('add', { env: { EDITOR: editor } })).split(':')[0] as string;
  expect(await box.json(`show ${id}`)).toMatchObject({
    title: 'Written',
    content: '# Written\n\nin the editor',
  });
  // With quotes, arguments and spaces, as git takes it.
  const editing = executable(box.dir, "an editor's", '#!/bin/sh\nsed -i "s/in the editor/$1 $2/" "$3"\n');
  expect(await box.says(`edit ${id}`, { env: { VISUAL: `"${editing}" --wait 'a b'` } })).toBe(
    `${id}: Written (edited)\n`,
  );
  expect(await contentOf(id)).toBe('# Written\n\n--wait a b');

  const nothing = await box.gza(['add'], { env: { EDITOR: 'true' } });
  expect(nothing.code).toBe(2);
  expect(nothing.stderr).toContain('the text is empty');
  const failing = await box.gza(['add'], { env: { EDITOR: 'false' } });
  expect(failing.code).toBe(1);
  expect(failing.stderr).toContain('the editor "false" failed (exit 1)');
  expect((await box.gza(['add'])).stderr).toContain('no editor is set');
});

test('long texts are kept whole, and what is too long says so', async () => {
  await using box = openSandbox();
  const long = `Long\n${'"ä\u{1f600}\\'.repeat(20_000)}`;
  const id = (await box.says('add', { stdin: long })).split(':')[0] as string;
  expect((await box.json(`show ${id}`))['content']).toBe(long);
  await box.says(`note ${id} ${'x'.repeat(20_000)}`);
  for (const [words, stdin] of [
    ['add', 'x'.repeat(300_000)],
    [`note ${id}`, 'x'.repeat(100_000)],
    ['add', 'x'.repeat(11 << 20)],
    [`add x --group ${'g'.repeat(5000)}`, ''],
  ] as const) {
    const ran = await box.gza(words.split(' '), { stdin });
    expect({ words: words.slice(0, 20), code: ran.code, stdout: ran.stdout }).toEqual({
      words: words.slice(0, 20),
      code: 2,
      stdout: '',
    });
    expect(ran.stderr).toMatch(/limit|cannot be stored/);
  }
  expect(await box.json('list')).toHaveLength(1);
});

const hostile: readonly string[] = [
  'first\nsecond\r\nthird',
  '\u001b[2J\u001b[31mred\u001b]8;;http://x\u0007link',
  'a | b `c` <b>d</b> "e" \'f\' $(g) ; h && i',
  '\u{1f469}\u200d\u{1f4bb} \u{1f1e9}\u{1f1ea} 漢字',
  '\u202eright to left\u202c \u200f שלום',
  'line\u2028separator\u0085next\u000bvertical',
  '- [x] @team closes #1 [skip ci] <!-- gza -->',
  '__proto__',
];

test('hostile texts stay one line in every list and come back as they were', async () => {
  await using box = openSandbox();
  const ids: string[] = [];
  for (const text of hostile) ids.push((await box.says(['add', '--', text])).slice(0, 9));
  for (const text of hostile) await box.says(['note', ids[0] as string, '--', text]);
  await box.says(['edit', ids[1] as string, '--group', hostile[1] as string, '--tag', hostile[2] as string]);
  for (const [at, text] of hostile.entries()) {
    const shown = await box.json<{ content: string }>(['show', ids[at] as string]);
    expect(shown.content).toBe(text.replaceAll(/\r\n?/g, '\n'));
  }
  expect((await box.json(`show ${ids[0]}`))['notes']).toEqual(
    hostile.map((text) => text.replaceAll('\r\n', '\n')),
  );
  for (const list of [
    'list',
    'ready',
    'next',
    'tree',
    'status',
    'graph',
    'context --all',
    'pr --type task',
  ]) {
    const printed = await box.says(list);
    // In Markdown a space without width keeps mentions from being one. Controls, format characters and line separators of others never reach the terminal.
    const seen = list.startsWith('pr') ? printed.replaceAll('\u200b', '') : printed;
    expect(seen.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
    const lines = printed.trimEnd().split('\n');
    // Titles: of the whole, of the group and of what is in none.
    const extra = list === 'context --all' ? 1 : list.startsWith('pr') ? 2 : list === 'status' ? 3 : 0;
    expect({ list, lines: lines.length }).toEqual({ list, lines: hostile.length + extra });
  }
  const show = await box.says(`show ${ids[1]}`);
  expect(show.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('a list of 5,000 tasks arrives whole through a pipe, and half a pipe is no failure', async () => {
  await using box = openSandbox();
  const items = Array.from({ length: 5000 }, (_, n) => `- [ ] Task number ${n}`).join('\n');
  const filed = await box.says('import', { stdin: items });
  expect(filed).toMatch(/filed 5000, 0 known already\n$/);
  const rows = await box.json<{ id: string; title: string }[]>('list');
  expect(rows).toHaveLength(5000);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(5000);
  expect(rows.map(({ title }) => title)).toEqual(Array.from({ length: 5000 }, (_, n) => `Task number ${n}`));
  const slow = await start(
    ['sh', '-c', `"${process.execPath}" "${cliFile}" list --json | (sleep 0.3; wc -c)`],
    {
      cwd: box.repo,
      env: box.env,
    },
  );
  expect(Number(slow.stdout)).toBe(JSON.stringify(rows, null, 2).length + 1);
  const head = await closedAfterOneLine(box, ['list', '--json']);
  expect(head).toEqual({ code: 0, stderr: '' });
});

/** What `| head -1` does. */
function closedAfterOneLine(box: Sandbox, args: string[]): Promise<{ code: number | null; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [cliFile, ...args], {
      cwd: box.repo,
      env: box.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.stdout.once('data', () => child.stdout.destroy());
    child.on('close', (code) => resolve({ code, stderr }));
  });
}

test('colour is for terminals and who asks for it', async () => {
  await using box = openSandbox();
  await box.add('Plain');
  const env = { NO_COLOR: undefined };
  expect(await box.says('list', { env })).not.toContain('\u001b');
  await box.says(`done ${(await box.json<{ id: string }[]>('list'))[0]?.id}`);
  expect(await box.says('list --all --color', { env })).toContain('\u001b[32m✓');
  expect(await box.says('--no-color list --all')).not.toContain('\u001b');
});

test('a completion script is one that its shell can read', async () => {
  await using box = openSandbox();
  for (const shell of ['bash', 'zsh', 'fish']) {
    const script = box.write(`completion.${shell}`, await box.says(`completion ${shell}`));
    const has = (await start(['sh', '-c', `command -v ${shell}`], { env: process.env })).code === 0;
    if (has)
      expect(await start([shell, '-n', script], { env: box.env })).toEqual({
        code: 0,
        stdout: '',
        stderr: '',
      });
  }
  expect((await box.gza(['completion', 'ksh'])).code).toBe(2);
});

test('what cannot be written or read is said in a sentence', async () => {
  await using box = openSandbox();
  await box.add('Task');
  const shell = (script: string) =>
    start(['sh', '-c', script.replaceAll('gza', `"${process.execPath}" "${cliFile}"`)], {
      cwd: box.repo,
      env: box.env,
    });
  for (const call of ['gza list', 'gza list --json', 'gza nothing --json']) {
    const full = await shell(`${call} > /dev/full`);
    expect({ call, code: full.code > 0 }).toEqual({ call, code: true });
    expect(full.stderr).toMatch(/^Error: (the output could not be written: .*ENOSPC|unknown command)/);
    expect(full.stderr).not.toMatch(/\n\s+at /);
  }
  const gone = await shell('mkdir gone && cd gone && rmdir ../gone && gza list');
  expect(gone).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Error: the current folder is gone\n  cd to one that is there.\n',
  });
  // Of packed refs only git can move one.
  box.git('pack-refs', '--all');
  const withoutGit = await box.gza(['add', 'x'], { env: { PATH: '/nonexistent' } });
  expect(withoutGit.code).toBe(1);
  expect(withoutGit.stderr).toContain('Install git 2.34 or newer');
});

test('list shows open tasks, and filters by status, group, type, tag and more', async () => {
  await using box = openSandbox();
  const a = await box.add('A', '--group', 'g', '-t', 'plan', '--tag', 'x,y');
  const b = await box.add('B', '--after', a, '--milestone', 'M1');
  const c = await box.add('C', '--project', 'p', '--priority', 'critical');
  const d = await box.add('D');
  await box.says(`done ${d}`);
  const ids = async (filters: string) => (await box.says(`list --ids ${filters}`.trim())).trim().split('\n');
  expect(await ids('')).toEqual([a, b, c]);
  expect(await ids('--all')).toEqual([a, b, c, d]);
  expect(await ids('--status pending')).toEqual([a, b, c]);
  expect(await ids('--status blocked')).toEqual([b]);
  expect(await ids('--status ready')).toEqual([a, c]);
  expect(await ids('--status done')).toEqual([d]);
  expect(await ids('--group g')).toEqual([a]);
  expect(await ids('--type plan')).toEqual([a]);
  expect(await ids('--tag y')).toEqual([a]);
  expect(await ids('--milestone M1')).toEqual([b]);
  expect(await ids('--project p')).toEqual([c]);
  // A slip must not look like nothing to do.
  for (const verb of ['list', 'ready', 'work', 'context']) {
    const slip = await box.gza([verb, '--group', 'gg']);
    expect([slip.code, slip.stderr]).toEqual([2, expect.stringContaining('did you mean g?')]);
  }
  expect((await box.gza(['next', '--milestone', 'N1'])).stderr).toContain('did you mean M1?');
  expect((await box.gza(['kept', `${a}x`])).stderr).toContain(`did you mean ${a}?`);
  // The most urgent comes first.
  expect(await box.says('ready --max 1')).toMatch(new RegExp(`^${c}: C\n`));
  expect((await box.gza(['list', '--status', 'don'])).stderr).toContain('did you mean done?');
});
