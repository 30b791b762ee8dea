import { describe, expect, test } from '@jest/globals';
import { boardSections } from '../../../src/core/board/summary.ts';
import { bodyCharsMax, mergeTicks, readBoxes, tickBoxes } from '../../../src/core/markdown/body-block.ts';
import { decide } from '../../../src/core/policy/decide.ts';
import { type BoardFacts, boardExcerpt, fitBoardIssue } from '../../../src/core/text/github/board-issue.ts';
import { board, claim, did, earlier, type FactFields, factsOf, type Given, later } from '../world.ts';

function facts(
  given: readonly Given[],
  fields: FactFields = {},
  claims: ReturnType<typeof claim>[] = [],
): BoardFacts {
  const of = board(given, { claims });
  return { board: of, decisions: decide(factsOf(of, fields)) };
}

const closed = { closed_at: earlier, closed_as: 'done' as const };
const world: Given[] = [
  { id: 'plan', title: 'Plan the shop', ...closed, final_verdict: 'APPROVED', cost_usd: 0.31 },
  { id: 'cart', title: 'Build the cart', depends_on: ['plan'], pull_request: { number: 41, state: 'draft' } },
  { id: 'pay', title: 'Take payments', depends_on: ['cart'] },
  {
    id: 'mail',
    title: 'Send a receipt',
    stop: { reason: 'agent-blocked', detail: 'which mail server?', at: earlier },
  },
  {
    id: 'tax',
    title: 'Compute taxes',
    ...closed,
    closed_as: 'failed',
    closed_reason: '3 attempts failed; the last: no tests ran',
  },
  { id: 'logo', title: 'Draw a logo', paused_at: earlier },
  { id: 'law', title: 'Ask the lawyer', assigned_agent: 'ann' },
  { id: 'seo', title: 'Write the sitemap', not_before: later },
  { id: 'i18n', title: 'Translate', cost_usd: 5, steps: [did('implement', { outcome: 'slice' })] },
  { id: 'faq', title: 'Write the FAQ' },
  { id: 'terms', title: 'Write the terms' },
];
const claims = [claim('cart', { step: 'review', holder: 'run 7' })];

test('a board with everything on it', () => {
  expect(
    fitBoardIssue('', facts(world, { settings: { budget: 5 }, parallelWorkers: 2 }, claims))?.body,
  ).toMatchInlineSnapshot(`
"<!-- gza:begin (written by gza, which writes it anew; your text outside of it is kept) -->
**4 waiting for a person · 1 over budget · 1 in flight · 2 next · 1 waiting for a time · 1 blocked · 1 done** · $5.31 so far

### Waiting for a person

- **mail: Send a receipt**<br>which mail server? To go on: \`gza note mail "the answer"\`, then \`/gza resume mail\`; as a comment: \`/gza work mail\` and the answer
  - [ ] <!-- gza:box retry mail -->Try again
  - [ ] <!-- gza:box skip mail -->Skip it: it was done elsewhere
- **logo: Draw a logo**<br>blocked by a pause that a person asked for. To go on: \`/gza resume logo\`
  - [ ] <!-- gza:box resume logo -->Go on: end the pause
  - [ ] <!-- gza:box skip logo -->Skip it: it was done elsewhere
- **law: Ask the lawyer**<br>it is assigned to ann. To go on: ann does it, or \`gza assign law ""\` frees it
  - [ ] <!-- gza:box skip law -->Skip it: it was done elsewhere
- **tax: Compute taxes**<br>3 attempts failed; the last: no tests ran. To go on: \`/gza retry tax\`, or \`/gza skip tax\`
  - [ ] <!-- gza:box retry tax -->Try again
  - [ ] <!-- gza:box skip tax -->Skip it: it was done elsewhere

### Over budget

- **i18n: Translate**<br>it cost $5.00 of its $5.00. To go on: raise its budget, then \`gza unblock i18n\`
  - [ ] <!-- gza:box skip i18n -->Skip it: it was done elsewhere

### In flight

- **cart: Build the cart** · #41<br>review, since 2026-01-02T11:00:00Z

### Next

- **faq: Write the FAQ**<br>its implement step was not done yet
  - [ ] <!-- gza:box run faq -->Run it next
  - [ ] <!-- gza:box skip faq -->Skip it: it was done elsewhere
- **terms: Write the terms**<br>2 tasks run already, the limit
  - [ ] <!-- gza:box run terms -->Run it next
  - [ ] <!-- gza:box skip terms -->Skip it: it was done elsewhere

### Waiting for a time

- **seo: Write the sitemap**<br>it was put off until 2026-01-02T13:00:00Z
  - [ ] <!-- gza:box run seo -->Run it next

### Blocked

- **pay: Take payments**<br>blocked by \`cart\`
  - [ ] <!-- gza:box skip pay -->Skip it: it was done elsewhere

### Done

- plan: Plan the shop · APPROVED, $0.31

Tick a box to answer; a comment such as \`/gza improve login use argon2\` says more. New tasks: files in \`tasks/\`, or \`/gza add "…"\`.

<details><summary>Dependency graph (3 tasks)</summary>

\`\`\`mermaid
graph LR
  t0["plan: Plan the shop"]:::completed
  t1["cart: Build the cart"]:::in_progress
  t2["pay: Take payments"]:::blocked
  t0 --> t1
  t1 --> t2
  classDef completed fill:#2da44e,color:#fff,stroke:#8c959f
  classDef in_progress fill:#0969da,color:#fff,stroke:#8c959f
  classDef blocked fill:#fff8c5,color:#24292f,stroke:#8c959f
\`\`\`

</details>
<!-- gza:end -->"
`);
});

test('an empty board, and a summary without boxes', () => {
  expect(fitBoardIssue('', facts([]))?.body).toMatchInlineSnapshot(`
"<!-- gza:begin (written by gza, which writes it anew; your text outside of it is kept) -->
No tasks yet.

Tick a box to answer; a comment such as \`/gza improve login use argon2\` says more. New tasks: files in \`tasks/\`, or \`/gza add "…"\`.
<!-- gza:end -->"
`);
  expect(boardExcerpt(facts(world.slice(0, 3), {}, claims), 10)).toMatchInlineSnapshot(`
"**1 in flight · 1 blocked · 1 done** · $0.31 so far

### In flight

- **cart: Build the cart** · #41<br>review, since 2026-01-02T11:00:00Z

### Blocked

- **pay: Take payments**<br>blocked by \`cart\`

### Done

- plan: Plan the shop · APPROVED, $0.31"
`);
});

test('every open task stands in one section', () => {
  const placed = [...boardSections(facts(world, { settings: { budget: 5 } }, claims)).values()].flat();
  expect(placed.map(({ view }) => view.id).sort()).toEqual(world.map(({ id }) => id).sort());
});

test('nothing moves while nothing changes: neither the clock nor a renewed claim writes', () => {
  const renewed = claims.map((one) => ({ ...one, until: '2026-01-02T14:00:00Z' }));
  const before = fitBoardIssue('', facts(world, {}, claims))?.body ?? '';
  const later = { ...facts(world, {}, renewed) };
  expect(fitBoardIssue(before, later)?.body).toBe(before);
  const moved = board(world, { claims, now: '2026-01-02T12:30:00Z' });
  expect(fitBoardIssue(before, { board: moved, decisions: decide(factsOf(moved)) })?.body).toBe(before);
});

test('a ticked box is read, and stays until it is answered', () => {
  const made = facts(world, {}, claims);
  const body = fitBoardIssue('Our board.\r\n', made)?.body ?? '';
  const ticked = tickBoxes(body, [{ name: 'retry', task: 'mail' }]).replaceAll(/\r?\n/g, '\r\n');
  expect(readBoxes(ticked).filter((box) => box.isTicked)).toEqual([
    { name: 'retry', task: 'mail', isTicked: true },
  ]);
  const fresh = fitBoardIssue(ticked, made)?.body ?? '';
  expect(mergeTicks(ticked, fresh)).toContain('- [x] <!-- gza:box retry mail -->');
  expect(mergeTicks(ticked, fresh, [{ name: 'retry', task: 'mail' }])).not.toContain('[x]');
});

describe('length', () => {
  test('thousands of tasks fit, and it is said what was left out', () => {
    const title = 'closes #1 | <!-- gza:end --> @team '.repeat(10);
    const many = Array.from(
      { length: 3_000 },
      (_, n): Given => ({
        id: `t${n}`,
        title: `${title}${n}`,
        ...(n % 3 === 0 ? { depends_on: [`t${n + 1}`] } : {}),
      }),
    );
    const made = facts(many);
    for (const own of ['', 'x'.repeat(40_000), 'x'.repeat(64_000)]) {
      const fitted = fitBoardIssue(own, made);
      expect(fitted?.body.length).toBeLessThanOrEqual(bodyCharsMax);
      expect(fitted?.body).toMatch(/and \d+ more tasks/);
      expect(fitted?.body).not.toMatch(/(^|\W)@team|closes #1/);
    }
    expect(fitBoardIssue('x'.repeat(65_500), made)).toBeNull();
  });
});

test('what is at work has reserved what it may cost, and what has no price is unknown', () => {
  const held = claim('a', { reserved_usd: 2.5 });
  const shown = facts(
    [
      { id: 'a', unpriced_tokens: 40_000 },
      { id: 'b', cost_usd: 1.5 },
    ],
    {},
    [held],
  );
  expect(fitBoardIssue('', shown)?.body).toContain('** · $1.50 + 40k tokens so far · $2.50 reserved');
});
