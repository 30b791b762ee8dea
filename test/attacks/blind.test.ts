import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { type AttackFile, judgeFiles, letEverythingPass, strictness, type Verdict } from './play.ts';

interface Attack {
  readonly id: string;
  readonly class: string;
  readonly attack: Record<string, unknown>;
  readonly expect: string;
}
const attacks = JSON.parse(
  readFileSync(new URL('./blind.json', import.meta.url), 'utf8'),
) as readonly Attack[];
const of = (kind: string) => attacks.filter((one) => one.class === kind);

test.each(of('patch').map((one) => [one.id, one] as const))('%s', (_id, { attack, expect: wanted }) => {
  const files = attack['files'] as AttackFile[];
  const { verdict, objections } = judgeFiles(files);
  const [is, should] = [strictness.indexOf(verdict), strictness.indexOf(wanted as Verdict)];
  const shown = `${verdict} ${objections.map(({ path, rule, why }) => `${path} ${rule}: ${why}`).join('; ')}`;
  const isHeld = wanted === 'plain' ? is <= 1 : is >= should;
  expect(`${isHeld} ${wanted} ${shown}`).toMatch(/^true/);
  void letEverythingPass;
});
