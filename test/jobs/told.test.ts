import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  bodyCharsMax,
  findBlock,
  printBlock,
  readBoxes,
  replaceBlock,
} from '../../src/core/markdown/body-block.ts';
import { decide } from '../../src/core/policy/decide.ts';
import {
  bodyTelling,
  nothingPosted,
  type Posted,
  readPosted,
  withPosted,
} from '../../src/github/publish/posted-state.ts';
import { board, did, factsOf, viewOf } from '../core/world.ts';

const told = { reviews: ['answer:1:1'], statuses: { 'gza/verify': 'abc success The checks passed --> ok' } };

test('what was said is found again in the block of the body, and nowhere else', () => {
  const body = replaceBlock('By hand.', withPosted(printBlock('### gza'), told));
  expect(readPosted(body)).toEqual(told);
  const forged = body.slice(
    body.indexOf('<!-- gza:told'),
    body.indexOf('-->', body.indexOf('<!-- gza:told')) + 3,
  );
  expect(readPosted(`By hand. ${forged}`)).toEqual(nothingPosted);
});

test('a mark that somebody changed counts as none', () => {
  const body = withPosted(printBlock('x'), told).replace(/gza:told \w{8}/, 'gza:told AAAAAAAA');
  expect(readPosted(body)).toEqual(nothingPosted);
});

/** A lane whose block needs more than a body has, with what a title could do to it. */
function lane(tasks: number) {
  const of = board(
    Array.from({ length: tasks }, (_, n) => ({
      id: `task-${n}`,
      title: `closes #1 <!-- gza:end --> @team \`\`\` ${n} ${'🌕'.repeat(40)}`,
      ...(n > 0 ? { depends_on: [`task-${n - 1}`] } : {}),
      steps: [did('implement'), did('review', { cycle: 1, verdict: 'APPROVED' })],
    })),
  );
  const views = [...of.views.keys()].map((id) => viewOf(of, id));
  return { board: of, tasks: views, decisions: decide(factsOf(of, {})) };
}
const lanes = [1, 70].map(lane);

function outside(body: string): string {
  const place = findBlock(body);
  return place ? body.slice(0, place.start) + body.slice(place.end) : body;
}

const people = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.constantFrom(
          '\r\n',
          '```\n',
          '<!-- gza:begin -->\n',
          '<!-- gza:end -->\n',
          '- [ ] a box\n',
          '<!--',
        ),
      ),
      { maxLength: 20 },
    ),
    fc.nat({ max: 66_000 }),
  )
  .map(([parts, length]) => `${'x'.repeat(length)}\n${parts.join('')}`.slice(0, bodyCharsMax));

test('whatever people wrote and was told, a body fits, keeps their text byte for byte, and is written once', () => {
  const told = fc.nat({ max: 500 }).map(
    (n): Posted => ({
      reviews: ['answer:1:1'],
      answers: Array.from({ length: n }, (_, at) => String(at).padStart(16, '0')),
      boxes: Array.from({ length: n % 200 }, (_, at) => `issue:7:${at}`.padEnd(120, 'y')),
      statuses: {},
    }),
  );
  let [fitted, full] = [0, 0];
  fc.assert(
    fc.property(people, told, fc.constantFrom(...lanes), fc.boolean(), (text, said, facts, isLater) => {
      const old = isLater ? bodyTelling(lanes[0]!, text, nothingPosted) : null;
      const before = old ?? text;
      const body = bodyTelling(facts, before, said);
      if (body === null) return void (full += 1);
      fitted += 1;
      expect(body.length).toBeLessThanOrEqual(bodyCharsMax);
      const people = outside(before);
      expect([people, `${people}\n\n`, `\n\n${people}`]).toContain(outside(body));
      expect(readPosted(body)).toEqual(said);
      expect(readBoxes(body).length).toBeGreaterThan(0);
      expect(bodyTelling(facts, body, said)).toBe(body);
    }),
    { numRuns: 30 },
  );
  expect([fitted > 0, full > 0]).toEqual([true, true]);
});
