/** How a run ends is said the same everywhere: in lines, marks, counts, boxes and the exit status. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { fakeClaude, key } from './fake-claude.ts';
import { openWorkshop } from './workshop.ts';

const task = (id: string, more = '') =>
  `  - { id: ${id}, type: implement, title: Task ${id}, prompt: Do it.${more} }\n`;

test.each([
  ['spends its cycles', 'CHANGES_REQUESTED', 'MAX_CYCLES_REACHED', ', max_review_cycles: 1'],
  ['raises questions', 'NEEDS_DISCUSSION', 'NEEDS_DISCUSSION', ''],
])(
  'a loop that %s is completed and not done: marked, not counted, exit 3, until it is approved',
  async (_name, said, verdict, more) => {
    await using shop = openWorkshop({
      tasks: `tasks:\n${task('a', `, auto_review: true, milestone: m${more}`)}${task('b', ', depends_on: a')}`,
      agents: {
        one: `[ $GZA_STEP = review ] && { verdict ${said} "No tests"; exit; }; echo $GZA_STEP >> $GZA_TASK.txt`,
      },
    });
    const run = await shop.work('--all');
    expect({ code: run.code, stdout: run.stdout }).toMatchObject({ code: 3 });
    expect(run.stdout).toContain(`! Task #a completed (${verdict} after 1 cycle)`);
    expect(run.stdout).toContain('1 task worked on, 0 completed');
    expect(run.stdout).toContain('  ! a on gza/a: Task a');
    expect(run.stdout).not.toContain('✓');
    expect(await shop.says('status')).toMatch(new RegExp(`! a\\. implement Task a +completed {2}${verdict}`));
    expect(await shop.json('summary')).toMatchObject({
      tasks: { completed: 0, unapproved: 1, progress: '0%' },
      milestones: [{ status: 'in_progress', progress: '0%' }],
      completed_task_ids: [],
      waiting: [{ id: 'a' }],
    });
    expect(await shop.says('tree')).toContain(`[!] Task a (completed ${verdict})`);
    expect(await shop.says('graph --format text')).toContain('! a → b');
    expect(await shop.says('graph --format mermaid')).toContain(':::unapproved');
    expect(await shop.says('pr --branch gza/a')).toMatch(
      new RegExp(`- \\[ \\] a: Task a \\(\\w+\\) ! ${verdict}`),
    );
    expect(await shop.json('show a')).toMatchObject({ status: 'completed', final_verdict: verdict });

    await shop.says('approve a');
    expect(await shop.json('escalations')).toEqual([]);
    expect(await shop.says('status')).toMatch(/✓ a\. implement Task a +completed {2}APPROVED/);
    expect(await shop.says('show a')).not.toMatch(/reason|waits for|without approval|error/);
    expect(await shop.json('summary')).toMatchObject({ tasks: { completed: 1, unapproved: 0 } });
    expect((await shop.work('--all')).code).toBe(0);
  },
);

test('a loop that something else stops is CHANGES_REQUESTED, a task without a verdict waits with its mark', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', auto_review: true, max_attempts: 1')}${task('b', ', auto_review: true')}${task('c', ', max_attempts: 1')}`,
    agents: {
      one: `case $GZA_TASK.$GZA_STEP in
  a.review) verdict CHANGES_REQUESTED "No tests";;
  b.review) echo "Looked at it.";;
  a.improve|c.*) echo broken >&2; exit 1;;
  *) echo x >> $GZA_TASK.txt;;
esac`,
    },
  });
  expect((await shop.work('a')).code).toBe(1);
  expect(await shop.json('show a')).toMatchObject({ status: 'failed', final_verdict: 'CHANGES_REQUESTED' });
  const b = await shop.work('b');
  expect({ code: b.code, stdout: b.stdout }).toMatchObject({ code: 3 });
  expect(b.stdout).not.toContain('✓');
  expect(await shop.says('status')).toMatch(/! b\. implement Task b/);
  expect(await shop.json('show b')).toMatchObject({ final_verdict: 'CHANGES_REQUESTED' });
  // Where no review had begun there is no verdict.
  expect((await shop.work('c')).code).toBe(1);
  expect(await shop.json('show c')).toMatchObject({ status: 'failed', final_verdict: null });
  await shop.says('edit b --verdict APPROVED');
  expect((await shop.work('b')).code).toBe(0);
  expect(await shop.says('show b')).not.toMatch(/no verdict|waits for/);
  expect((await shop.json<{ id: string }[]>('escalations')).map(({ id }) => id)).toEqual(['a', 'c']);
});

test('a review of its own that asked for changes waits for a person until a later one approves', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', create_review: true')}`,
    agents: {
      one: `case $GZA_STEP in
  review) [ -e "$D/again" ] && { verdict APPROVED; exit; }; touch "$D/again"; verdict CHANGES_REQUESTED "No tests";;
  *) echo x >> $GZA_TASK.txt;;
esac`,
    },
  });
  const first = await shop.work('a');
  expect(first.stdout).toContain('! Review completed');
  expect(first.code).toBe(3);
  expect(await shop.json('escalations')).toMatchObject([{ reason: 'changes-requested' }]);
  const second = await shop.gza(['improve', 'a', '--review', 'add tests']);
  expect({ code: second.code, stdout: second.stdout }).toMatchObject({ code: 0 });
  expect(second.stdout).toContain('✓ Review completed');
  expect(await shop.json('escalations')).toEqual([]);
  expect(await shop.json('summary')).toMatchObject({ tasks: { unapproved: 0, progress: '100%' } });
});

test('interrupted work exits 130', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}`,
    agents: { one: `touch "$D/began"; wait_for "$D/go"; echo x > $GZA_TASK.txt` },
  });
  const { pid, ended } = shop.start('work', '--all');
  while (!existsSync(join(shop.dir, 'began'))) await wait(20);
  process.kill(pid, 'SIGINT');
  shop.write('../go', '');
  const ran = await ended;
  expect(ran.stdout).toContain('✓ Task #a completed');
  expect(ran.stdout).toContain('Stopped as asked; gza work goes on from here.');
  expect(ran.code).toBe(130);
});

const asked = `I looked at the code. There are two ways.

Which database should I use?

- PostgreSQL
- SQLite`;

test('an agent that asks instead of working is asked for no second try: a person gets the question whole, and the answer goes on', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}`,
    agents: {
      one: `case $GZA_TASK in
  a) grep -q 'Use SQLite' "$D"/prompt.a.* && { echo x > a.txt; exit; }; printf '%s\\n' '${asked}';;
  b) echo 'Nothing to do: it is implemented already. Is there anything else you would like?';;
esac`,
    },
  });
  const run = await shop.work('a');
  expect({ code: run.code, runs: shop.runs() }).toMatchObject({ code: 3, runs: ['one a implement 0'] });
  expect(run.stdout).toContain('implement cannot go on: Which database should I use?');
  expect(run.stdout).toContain(
    '      Which database should I use?\n      \n      - PostgreSQL\n      - SQLite\n      gza note a "the answer" | gza resume a',
  );
  expect(await shop.says('escalations')).toContain('  Which database should I use?\n  \n  - PostgreSQL');
  expect(await shop.json('show a')).toMatchObject({ attempts: 0 });
  expect(await shop.says('why a')).toContain('gza note a');

  await shop.gza(['note', 'a', 'Use SQLite']);
  const answered = await shop.gza(['resume', 'a']);
  expect(answered.stdout).toContain('✓ Task #a completed');

  // What asks nothing is a try that failed, as before.
  expect((await shop.work('b')).code).toBe(1);
  expect(await shop.says('why b')).toContain('the agent said it was done but changed no file');
});

test('who may write files and not run commands asks in a file, which counts with the nonce of its step alone', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}${task('b')}`,
    agents: {
      one: `ask() { mkdir -p .gza; printf '{"nonce":"%s","questions":["Which of the two?\\\\nA or B","And when?"]}' "$1" > .gza/questions.json; }
case $GZA_TASK in
  a) ask "$(sed -n 's/.*"nonce": "\\([0-9a-f]*\\)", "questions".*/\\1/p' "$D"/prompt.a.*)"; echo x > half.txt; echo 'I asked.';;
  b) ask 0123456789abcdef; echo x > b.txt;;
esac`,
    },
  });
  const run = await shop.work('a');
  expect({ code: run.code, runs: shop.runs() }).toMatchObject({ code: 3, runs: ['one a implement 0'] });
  expect(run.stdout).toContain(
    '      Which of the two?\n      A or B\n      \n      And when?\n      gza note a "the answer" | gza resume a',
  );
  expect(await shop.json('show a')).toMatchObject({ attempts: 0 });
  expect((await shop.work('b')).stdout).toContain('✓ Task #b completed');
});

test('gza improve of what was never reviewed is refused before anything is spent, unless it is told what to do', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}`,
    agents: {
      one: `[ $GZA_STEP = review ] && { verdict CHANGES_REQUESTED "No tests"; exit; }; echo x >> $GZA_TASK.txt`,
    },
  });
  await shop.work('a');
  const before = await shop.json('list --all');
  const refused = await shop.gza(['improve', 'a']);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('a was never reviewed, so there is nothing to improve by');
  expect(refused.stderr).toContain('gza improve a "');
  expect(await shop.json('list --all')).toEqual(before);
  expect(shop.runs()).toHaveLength(1);
  expect((await shop.gza(['improve', 'a', 'add', 'tests'])).code).toBe(0);
  await shop.gza(['review', 'a']);
  expect((await shop.gza(['improve', 'a'])).code).toBe(0);
});

const recorded = (name: string) =>
  `cat '${join(process.cwd(), 'test/fixtures/recorded/claude', name)}.stdout'; exit 1`;
const noSuchModel = `echo '{"type":"system","subtype":"init","session_id":"s"}'; echo '{"type":"result","subtype":"success","is_error":true,"api_error_status":404,"result":"There is an issue with the selected model (gpt-9). It may not exist or you may not have access to it.","session_id":"s","num_turns":1,"total_cost_usd":0}'; exit 1`;

test.each([
  ['model', noSuchModel, 'no-such-model', /selected model \(gpt-9\)/],
  ['context', recorded('context'), 'context-too-long', /prompt is too long/i],
])(
  'what no other try of an agent can change (%s) spends none: the next agent is asked, or else a person',
  async (ending, script, reason, said) => {
    await using shop = openWorkshop({
      tasks: `tasks:\n${task('a', ', agents: [claude, two]')}${task('b', ', agents: [claude]')}`,
      agents: { two: 'echo x > $GZA_TASK.txt; echo done' },
    });
    fakeClaude(shop, script);
    const run = await shop.gza(['work', '--all'], key);
    expect(run.stdout).toContain('✓ Task #a completed');
    expect(shop.runs().map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual([
      'claude a',
      'two a',
      'claude b',
    ]);
    expect(shop.record('a').steps).toMatchObject([{ outcome: 'cancelled', ending }, { outcome: 'ok' }]);
    expect(run.code).toBe(3);
    expect(await shop.json('show b')).toMatchObject({ attempts: 0 });
    const [waits] = await shop.json<{ id: string; reason: string; detail: string }[]>('escalations');
    expect(waits).toMatchObject({ id: 'b', reason, detail: expect.stringMatching(said) });
    // Said, and its log holds it.
    const log = /log: (\S+)/.exec(run.stdout)?.[1] ?? '';
    expect(readFileSync(log, 'utf8')).toMatch(said);
    // A person who mended it has it tried again.
    fakeClaude(shop, 'echo x > $GZA_TASK.txt; ok');
    expect((await shop.gza(['resume', 'b'], key)).stdout).toContain('✓ Task #b completed');
  },
);

test('a program that is killed is named as that; the next agent goes on from what it left, and no attempt is spent', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a')}`,
    agents: {
      one: 'echo part > a.txt; kill -9 $$',
      two: 'grep -q part a.txt && echo whole > a.txt; echo done',
    },
  });
  const run = await shop.work('a');
  expect(run.stdout).toContain(
    'implement died: its program was killed by SIGKILL from outside, which most often means too little memory',
  );
  expect(run.stdout).toContain('✓ Task #a completed');
  expect(shop.git('show', 'gza/a:a.txt')).toBe('whole');
  expect(shop.runs()).toEqual(['one a implement 0', 'two a implement 0']);
});

test('one error is said once, with what to do; the log that is named holds it', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', agents: [claude]')}${task('b', ', agents: [claude]')}${task('c', ', max_attempts: 1, agents: [one], verify: "echo the-reason; false"')}`,
    agents: { one: 'echo x > $GZA_TASK.txt' },
  });
  fakeClaude(shop, 'ok');
  const { stdout } = await shop.work('a', 'b');
  expect(stdout.match(/Claude Code has no key/g)).toHaveLength(1);
  expect(stdout).toContain(
    '– a, b were not started: claude cannot run: Claude Code has no key. Set ANTHROPIC_API_KEY',
  );
  expect(stdout).not.toContain('log: ');
  const checks = await shop.work('c');
  const log = /log: (\S+)/.exec(checks.stdout)?.[1] ?? '';
  expect(readFileSync(log, 'utf8')).toContain('the-reason');
  expect(checks.stdout.match(/attempt failed; the last/g)).toHaveLength(1);
});

test('a step that was cut short goes on in the agent’s own session; a retry begins afresh', async () => {
  await using shop = openWorkshop({ tasks: `tasks:\n${task('a', ', timeout_minutes: 0.05')}` });
  fakeClaude(
    shop,
    `n=$(cat "$D/n" 2>/dev/null || echo 0); echo $((n+1)) > "$D/n"; echo x >> a.txt; [ $n = 0 ] && { ok; exec sleep 60; }; ok`,
  );
  const run = await shop.gza(['work', 'a'], key);
  expect(run.stdout).toMatch(/implement was cut short[^]*✓ Task #a completed/);
  expect(shop.runs().map((one) => one.includes('--resume session-1'))).toEqual([false, true]);
});

test('a model without an agent is for the first one; that of reviews counts in the loop; gza check names a mismatch', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', auto_review: true, model: fast, agents: [one, two]')}${task('b', ', agent: codex, model: opus')}${task('c', ', auto_review: true, agent: [one, two], model: { two: big, one: small }, review_model: { two: wise }')}${task('e', ', agent: one, model: fast')}${task('d', ', model: { claude: gpt-5.5, codx: gpt-5.5 }')}`,
    agents: {
      one: 'echo "$GZA_STEP one ${GZA_MODEL:-none}" >> "$D/models"; [ $GZA_STEP = review ] && { verdict APPROVED; exit; }; exec kill -9 $$',
      two: 'echo "$GZA_STEP two ${GZA_MODEL:-none}" >> "$D/models"; [ $GZA_STEP = review ] && { verdict APPROVED; exit; }; echo x > $GZA_TASK.txt',
    },
    config: 'task_types: { review: { model: careful } }\n',
  });
  const run = await shop.work('a');
  expect(run.stdout).toContain('✓ Task #a completed (APPROVED');
  expect(readFileSync(join(shop.dir, 'models'), 'utf8')).toBe(
    'implement one fast\nimplement two none\nreview one careful\n',
  );
  const check = await shop.gza(['check']);
  for (const found of [
    'b asks codex, its first agent, for opus: opus is a model of claude',
    'd asks claude for gpt-5.5: gpt-5.5 is a model of codex',
    'd asks codx for gpt-5.5: no agent has the name codx',
  ])
    expect(check.stdout).toContain(found);
  expect(check.code).toBe(0);

  await shop.work('c');
  await shop.work('e', '--agent', 'two');
  expect(readFileSync(join(shop.dir, 'models'), 'utf8').split('\n').slice(3)).toEqual([
    'implement one small',
    'implement two big',
    'review two wise',
    'implement two none',
    '',
  ]);
  expect(await shop.json('show c')).toMatchObject({
    model: { one: 'small', two: 'big' },
    review_model: { two: 'wise' },
  });
  expect(await shop.json('show b')).toMatchObject({ model: 'opus', review_model: null });
});

test('a finished agent’s work is not done twice: when gza dies during its checks, the next run concludes it', async () => {
  await using shop = openWorkshop({
    tasks: `tasks:\n${task('a', ', auto_review: true, verify: "sleep 2"')}`,
    agents: {
      one: `[ $GZA_STEP = review ] && { verdict APPROVED; exit; }; echo x >> a.txt; echo "the summary"`,
    },
  });
  const { pid, ended } = shop.start('work', 'a');
  const isChecking = () =>
    existsSync(shop.state('logs')) &&
    readdirSync(shop.state('logs')).some((name) => name.endsWith('-verify.log'));
  for (let n = 0; n < 1500 && !isChecking(); n += 1) await wait(20);
  process.kill(-pid, 'SIGKILL');
  await ended;
  const next = await shop.work('--all');
  expect({ ...next, runs: shop.runs() }).toMatchObject({
    code: 0,
    runs: ['one a implement 0', 'one a review 1'],
  });
  expect(next.stdout).toContain('✓ Task #a completed (APPROVED');
  expect(shop.git('show', 'gza/a:a.txt')).toBe('x');
  expect(shop.git('log', '-1', '--format=%b', 'gza/a')).toContain('the summary');
  expect(shop.record('a').steps).toMatchObject([{ outcome: 'ok', verified: true }, { verdict: 'APPROVED' }]);
  expect(await shop.json('show a')).toMatchObject({ attempts: 0 });
  expect(readdirSync(shop.state('left'))).toEqual([]);
  expect(readdirSync(shop.state('clones'))).toEqual([]);
});
