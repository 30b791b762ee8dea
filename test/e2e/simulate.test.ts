/** What `gza simulate` foresees, and what `gza work` then does: its agent is a script of known times and costs. */
import { expect, jest, test } from '@jest/globals';
import type { Forecast } from '../../src/core/simulate/forecast.ts';
import { executable } from './cli.ts';
import { key } from './fake-claude.ts';
import { openWorkshop, type Workshop } from './workshop.ts';

jest.setTimeout(300_000);

interface Step {
  readonly step: string;
  readonly started_at: string;
  readonly ended_at: string;
  readonly cost_usd: number;
}

const costs = { implement: 2, improve: 1, review: 0.5 } as const;

/** Each first review asks for changes, and each second one approves. */
function answers(costs: Readonly<Record<string, number>>): void {
  const { readFileSync, appendFileSync } = process.getBuiltinModule('fs');
  if (process.argv.includes('--version')) return console.log('2.1.0 (Claude Code)');
  const nonce = /"nonce": "([0-9a-f]+)"/.exec(readFileSync(0, 'utf8'))?.[1] ?? '';
  const { GZA_TASK = '', GZA_STEP = '', GZA_CYCLE } = process.env;
  // A second, so that its time is seen in the record.
  if (GZA_STEP === 'implement') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  if (GZA_STEP !== 'review') appendFileSync(`${GZA_TASK}.txt`, `${GZA_STEP}\n`);
  const isFirst = GZA_CYCLE === '1';
  const place = { file: `${GZA_TASK}.txt`, line: 1, evidence: 'seen', fix: 'add one' };
  const found = { findings: [{ severity: 'blocker', claim: 'one line is too few', ...place }] };
  const told = isFirst ? `\`\`\`json\n${JSON.stringify(found)}\n\`\`\`\n\n` : '';
  const said = `${told}**Verdict: ${isFirst ? 'CHANGES_REQUESTED' : 'APPROVED'}**\n\nNonce: ${nonce}\n`;
  const fields = { subtype: 'success', is_error: false, num_turns: 1, session_id: 's' };
  const result = GZA_STEP === 'review' ? said : 'done';
  console.log(JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model: 'opus', tools: [] }));
  console.log(JSON.stringify({ type: 'result', ...fields, result, total_cost_usd: costs[GZA_STEP] }));
}

/** Two begin, a third stands on both, a fourth on that one. */
const folder = (of: string) => `defaults: { type: implement, auto_review: true }
tasks:
  - { id: ${of}1, title: One, prompt: Do it. }
  - { id: ${of}2, title: Two, prompt: Do it. }
  - { id: ${of}3, title: Three, prompt: Do it., depends_on: [${of}1, ${of}2] }
  - { id: ${of}4, title: Four, prompt: Do it., depends_on: ${of}3 }
`;

const four = (of: string) => [1, 2, 3, 4].map((n) => `${of}${n}`);

function recorded(shop: Workshop, of: string) {
  const records = four(of).map((id) => shop.record(id));
  const steps = records.flatMap((one) => (one.steps ?? []) as unknown as Step[]);
  const cost = steps.reduce((sum, { cost_usd }) => sum + cost_usd, 0);
  return { records, steps, cost };
}

const secondsOf = ({ started_at, ended_at }: Step) =>
  Math.round((Date.parse(ended_at) - Date.parse(started_at)) / 1000);

test('a folder costs, takes and stacks what was foreseen from the one before', async () => {
  await using shop = openWorkshop({
    tasks: folder('a'),
    config: 'defaults: { agents: [claude] }\nparallel_workers: 2\n',
  });
  executable(
    shop.dir,
    'claude',
    `#!${process.execPath}\n(${answers.toString()})(${JSON.stringify(costs)})\n`,
  );
  const guessed = (await shop.json('simulate')) as Forecast;
  expect(guessed).toMatchObject({ tasks: 4, basis: [{ seen: 0 }, { seen: 0 }, { seen: 0 }] });
  await shop.gza(['work', '--all'], key);

  const before = recorded(shop, 'a');
  shop.write('tasks/more.yml', folder('b'));
  shop.commit('More', 'tasks/more.yml');
  const refs = shop.git('for-each-ref');

  const foreseen = (await shop.json('simulate')) as Forecast;
  expect(shop.git('for-each-ref')).toBe(refs);
  await shop.gza(['work', '--all'], key);
  const { records, steps, cost } = recorded(shop, 'b');

  expect(steps).toHaveLength(16);
  expect(Math.abs(foreseen.steps.likely - steps.length)).toBeLessThanOrEqual(steps.length / 10);
  expect(Math.abs(foreseen.dollars.likely - cost)).toBeLessThanOrEqual(cost / 10);
  expect(foreseen.order.map(({ id }) => id)).toEqual(four('b'));
  const standsOn = records.map((one) => one['lane'] as { stacked_on?: string; joins?: string[] });
  expect(foreseen.order.map((row) => row.stands_on)).toEqual(
    standsOn.map(({ joins, stacked_on: on }) => joins ?? (on ? [on] : [])),
  );
  expect(foreseen.critical_path.tasks.slice(1)).toEqual(['b3', 'b4']);
  expect(foreseen).toMatchObject({ limits: [], waits_for_person: [], behind: [] });
  // How long a step takes is the machine's: each was one of those that were recorded.
  const bound = (of: (...numbers: number[]) => number) =>
    steps.reduce((sum, { step }) => {
      const kind = before.steps.filter((one) => one.step === step);
      return sum + of(...kind.map(secondsOf));
    }, 0);
  expect(foreseen.agent_seconds.likely).toBeGreaterThanOrEqual(bound(Math.min));
  expect(foreseen.agent_seconds.likely).toBeLessThanOrEqual(bound(Math.max));
});
