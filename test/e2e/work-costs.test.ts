import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, jest, test } from '@jest/globals';
import { pricesAsOf } from '../../src/core/policy/cost.ts';
import { executable } from './cli.ts';
import { fakeClaude } from './fake-claude.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

const keys = { env: { ANTHROPIC_API_KEY: 'sk-test', CODEX_API_KEY: 'sk-test' } };
const task = (more: string) => `tasks:\n  - { id: a, type: implement, title: A, prompt: Do a.${more} }\n`;

const line = (value: object) => `printf '%s\\n' '${JSON.stringify(value)}'`;
const failedWith = (api_error_status: number) =>
  line({ type: 'result', subtype: 'success', is_error: true, api_error_status, total_cost_usd: 2 });
const count = (usage: object) => ({
  type: 'event_msg',
  payload: { type: 'token_count', info: { total_token_usage: usage, last_token_usage: usage } },
});

/** A script that speaks as Codex does: it writes what it used into its session file, and tells it at its end. */
function fakeCodex({ dir }: Workshop, script: string) {
  const usage = { input_tokens: 200_000, cached_input_tokens: 100_000, output_tokens: 10_000 };
  executable(
    dir,
    'codex',
    `#!/bin/sh
[ "$1" = --version ] && { echo 'codex 1.0'; exit; }
cat >/dev/null
echo "codex $GZA_TASK $GZA_STEP $*" >> '${dir}/runs'
session="$CODEX_HOME/sessions/rollout-1.jsonl"; mkdir -p "$CODEX_HOME/sessions"
uses() { { ${line({ type: 'turn_context', payload: { model: 'MODEL' } })} | sed "s/MODEL/$1/"; ${line(count(usage))}; } >> "$session"; }
ends() { ${line({ type: 'item.completed', item: { type: 'agent_message', text: 'done' } })}; ${line({ type: 'turn.completed', usage })}; }
${script}
`,
  );
}

jest.setTimeout(120_000);

test('a question that is asked again and a way to the model that failed cost what they cost, and get what is left', async () => {
  await using shop = openWorkshop({
    tasks: task(', auto_review: true, budget: 20'),
    config: 'defaults: { agents: [claude] }\n',
  });
  // Each run costs $2: one that the server failed and its retry, a review without a verdict and the question.
  fakeClaude(
    shop,
    `case $GZA_STEP in
  implement) [ -e "$D/again" ] || { touch "$D/again"; ${failedWith(500)}; exit 1; }; echo 1 > a.txt; ok ;;
  review) ok ;;
esac`,
  );
  const ran = await shop.gza(['work', 'a'], keys);
  const table = [
    /^ {2}task +step +agent +runs +reserved +spent +time$/m,
    /^ {2}a +implement +claude +1 +\$20\.00 +\$4\.00 /m,
    /^ {2}a +review +claude +1 +\$16\.00 +\$4\.00 /m,
    /^ {2}all +2 +\$36\.00 +\$8\.00 /m,
  ];
  for (const line of table) expect(ran.stdout).toMatch(line);
  expect(await shop.says(['summary'])).toMatch(table[1] as RegExp);
  expect(await shop.json('summary')).toMatchObject({
    cost_usd: 8,
    costs: [{ task: 'a', step: 'implement', agent: 'claude', steps: 1, reserved_usd: 20, cost_usd: 4 }, {}],
  });
  expect(await shop.json('stats')).toMatchObject({
    total: { tasks: 1, steps: 2, cost_usd: 8, reviewed: 0 },
    agents: [{ name: 'claude', cost_usd: 8 }],
    best: null,
  });
  expect(shop.record('a').steps).toMatchObject([
    { step: 'implement', outcome: 'ok', cost_usd: 4, reserved_usd: 20 },
    { step: 'review', outcome: 'no-verdict', cost_usd: 4, reserved_usd: 16 },
  ]);
  expect(shop.record('a')['cost_usd']).toBe(8);
  const budgets = shop.runs().map((run) => /--max-budget-usd (\S+)/.exec(run)?.[1]);
  expect(budgets).toEqual(['20', '18', '16', '14']);
});

test('who is limited, who is ended and who has no price are all in the sum', async () => {
  await using shop = openWorkshop({
    tasks: task(', timeout_minutes: 0.05'),
    config: 'defaults: { agents: [claude, codex] }\n',
  });
  fakeClaude(shop, `${failedWith(429)}; exit 1`);
  fakeCodex(
    shop,
    `[ -e '${shop.dir}/again' ] || { touch '${shop.dir}/again'; uses gpt-5.5; sleep 60; }
uses house-model; echo 1 > a.txt; ends`,
  );
  await shop.gza(['work', 'a'], keys);
  // A tenth of a million at $5, as much from the cache at $0.50, a hundredth of output at $30.
  const priced = 0.85;
  const tokens = { input_tokens: 200_000, output_tokens: 10_000 };
  const { steps, cost_usd, unpriced_tokens } = shop.record('a');
  expect(steps).toMatchObject([
    { agent: 'claude', outcome: 'limit', cost_usd: 2 },
    { agent: 'codex', outcome: 'failed', cost_usd: priced, priced_as_of: pricesAsOf, ...tokens },
    { agent: 'codex', outcome: 'ok', unpriced_tokens: 210_000, ...tokens },
  ]);
  expect(steps?.[2]).not.toHaveProperty('cost_usd');
  expect([cost_usd, unpriced_tokens]).toEqual([2 + priced, 210_000]);
});

test('the plain runner tells and keeps what its agents cost, a try that came to nothing too', async () => {
  await using shop = openWorkshop({ config: 'defaults: { agents: [claude] }\nbudget: { task: 9 }\n' });
  const id = await shop.add('One');
  fakeClaude(shop, `[ -e "$D/again" ] && git tasks done $GZA_TASK >/dev/null; touch "$D/again"; ok`);
  const ran = await shop.gza(['run', '--delay', '0'], keys);
  expect(ran.stdout).toMatch(new RegExp(`^ {2}${id} +implement +claude +2 +\\$16\\.00 +\\$4\\.00 `, 'm'));
  expect(shop.record(id)).toMatchObject({
    closed_as: 'done',
    cost_usd: 4,
    steps: [
      { outcome: 'cancelled', cost_usd: 2 },
      { outcome: 'ok', cost_usd: 2 },
    ],
  });
  expect(shop.record(id)).not.toHaveProperty('attempts');
  expect(await shop.json('summary')).toMatchObject({ days: [{ cost_usd: 4 }] });
  const budgets = shop.runs().flatMap((run) => /--max-budget-usd (\S+)/.exec(run)?.[1] ?? []);
  expect(budgets).toEqual(['9', '7']);
});

test('a try is spent when its agent starts, and given back when it did what it should', async () => {
  await using shop = openWorkshop({
    tasks: task(', max_attempts: 2'),
    agents: {
      a: `case $(grep -c . "$D/runs") in
  1) touch "$D/started"; wait_for "$D/seen"; exit 1 ;;
  2) touch "$D/again"; wait_for "$D/seen-again" ;;
esac
echo 1 > a.txt; echo done`,
    },
  });
  const attempts = async () => (await shop.json<{ attempts: number }>('show a')).attempts;
  const is = async (name: string) => {
    for (let turn = 0; turn < 400 && !existsSync(join(shop.dir, name)); turn += 1) await wait(50);
  };
  expect(await attempts()).toBe(0);
  const { ended } = shop.start('work', 'a');
  await is('started');
  expect(await attempts()).toBe(1);
  shop.write('../seen', '');
  await is('again');
  expect(await attempts()).toBe(2);
  shop.write('../seen-again', '');
  expect((await ended).code).toBe(0);
  expect(await attempts()).toBe(0);
});
