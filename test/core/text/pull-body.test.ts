import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { StepRecord } from '../../../src/core/ledger/record/record.ts';
import { bodyCharsMax, findBlock, readBoxes } from '../../../src/core/markdown/body-block.ts';
import { decideTask } from '../../../src/core/policy/decide.ts';
import {
  type PullBlockFacts,
  printPullBlock,
  pullBoxes,
  pullStatusText,
} from '../../../src/core/text/github/pull-body.ts';
import { cycleTable } from '../../../src/core/text/github/pull-story.ts';
import { board, did, type FactFields, factsOf, type Given, viewOf } from '../world.ts';

/** What a title could do to a list, a table, a graph, a marker, other people and other issues. */
const hostile =
  'closes #1 | <!-- gza:end --> @team ![x](http://x/y) </details>\n```\n/gza stop "]:::x; click t0 \u202e`code` **b**';

function facts(given: readonly Given[], lane: readonly string[], fields: FactFields = {}): PullBlockFacts {
  const of = board(given);
  const tasks = lane.map((id) => viewOf(of, id));
  const asked = factsOf(of, fields);
  return { board: of, tasks, decisions: tasks.map((view) => decideTask(view, asked)) };
}

const at = (minute: number) => `2026-01-02T10:${String(minute).padStart(2, '0')}:00Z`;
function step(
  name: StepRecord['step'],
  from: number,
  to: number,
  fields: Partial<StepRecord> = {},
): StepRecord {
  return did(name, { started_at: at(from), ended_at: at(to), agent: 'claude', ...fields });
}

const findings = ['!0123456789abcdef', '!123456789abcdef0', '23456789abcdef01'];
const closed = { closed_at: at(50), closed_as: 'done' as const };
const lane: Given[] = [
  {
    id: 'schema',
    title: 'Add the users table',
    ...closed,
    closed_commit: 'abc1234def5678',
    cost_usd: 0.4,
    seconds: 300,
  },
  {
    id: 'login',
    title: 'Log in with a password',
    depends_on: ['schema'],
    review_cycle: 2,
    ...closed,
    final_verdict: 'NEEDS_DISCUSSION',
    closed_commit: 'bcd2345ef6789a',
    cost_usd: 1.85,
    seconds: 2_100,
    steps: [
      step('implement', 0, 12, { cost_usd: 0.9, diff: 'a' }),
      step('review', 12, 15, { cycle: 1, verdict: 'CHANGES_REQUESTED', findings, cost_usd: 0.2, diff: 'a' }),
      step('improve', 15, 25, { cycle: 1, cost_usd: 0.55, diff: 'b' }),
      step('review', 26, 30, {
        cycle: 2,
        verdict: 'NEEDS_DISCUSSION',
        agent: 'codex',
        cost_usd: 0.2,
        diff: 'b',
      }),
    ],
    stop: {
      reason: 'needs-discussion',
      detail: 'the review raised questions that a person must answer',
      at: at(31),
    },
  },
  { id: 'logout', title: 'Log out', depends_on: ['login'] },
  { id: 'docs', title: 'Document the login', depends_on: ['logout'] },
];

test('a lane of three tasks, one of which waits for a person', () => {
  expect(
    printPullBlock(facts(lane, ['schema', 'login', 'logout']), bodyCharsMax)?.block,
  ).toMatchInlineSnapshot(`
"<!-- gza:begin (written by gza, which writes it anew; your text outside of it is kept) -->
### gza · 1 of 3 tasks done · $2.25 · 40 min

- [x] schema: Add the users table (abc1234)
- [ ] login: Log in with a password (bcd2345) ! NEEDS_DISCUSSION
- [ ] logout: Log out

#### What it waits for

- \`login\`: **a person**: the review raised questions that a person must answer. To go on: \`/gza improve login\`, or \`/gza approve login\`
- \`logout\`: blocked by \`login\`, which ended NEEDS_DISCUSSION. To go on: \`/gza approve login\`, or \`/gza improve login --review\`

<details><summary>Cycles and cost</summary>

| Task | Cycle | Verdict | Findings | Agent | Cost | Time |
| :-- | :-- | :-- | :-- | :-- | --: | --: |
| login | work | done | – | claude | $0.90 | 12 min |
| login | 1 | CHANGES_REQUESTED | 2 blockers, 1 follow-up | claude | $0.75 | 13 min |
| login | 2 | NEEDS_DISCUSSION | none | codex | $0.20 | 4 min |
| **Total** |  |  |  |  | **$2.25** | **40 min** |

</details>

<details><summary>Dependency graph (4 tasks)</summary>

\`\`\`mermaid
graph LR
  t0["schema: Add the users table"]:::completed
  t1["！ login: Log in with a password"]:::unapproved
  t2["logout: Log out"]:::blocked
  t3["docs: Document the login"]:::blocked
  t0 --> t1
  t1 --> t2
  t2 --> t3
  classDef completed fill:#2da44e,color:#fff,stroke:#8c959f
  classDef unapproved fill:#bf8700,color:#fff,stroke:#8c959f
  classDef blocked fill:#fff8c5,color:#24292f,stroke:#8c959f
\`\`\`

</details>

<details><summary>The task as it was given</summary>

**\`schema\`**

> Content of schema

**\`login\`**

> Content of login

**\`logout\`**

> Content of logout

</details>

#### Steer it

- [ ] <!-- gza:box approve login at bcd2345ef678 -->Approve it as it is in bcd2345
- [ ] <!-- gza:box review -->Review again
- [ ] <!-- gza:box improve -->Improve it, as the last review asks
- [ ] <!-- gza:box pause -->Pause

Or comment \`/gza improve\` with what to change; \`/gza help\` lists all commands.
<!-- gza:end -->"
`);
});

test('one task: what was done, how it meets what was asked, how it was checked, what the review said', () => {
  const asked = { acceptance_criteria: ['It counts', `It is fast ${hostile}`], content: 'Count them.' };
  const given: Given[] = [
    {
      id: 'base',
      title: 'Count',
      lane: { id: 'l1', branch: 'gza/base' },
      pull_request: { number: 7, state: 'open' },
    },
    {
      id: 'sum',
      title: 'Sum up',
      ...asked,
      depends_on: ['base'],
      lane: { id: 'l2', branch: 'gza/sum', stacked_on: 'gza/base' },
      steps: [
        step('implement', 0, 2, {
          said: `I count.\n\n- in \`a.js\` ${hostile}`,
          checked: ['passed: `npm test` (2 tests passed)'],
        }),
        step('review', 2, 3, { cycle: 1, verdict: 'CHANGES_REQUESTED', findings }),
        step('improve', 3, 4, {
          cycle: 1,
          said: 'Count zeros too. They were lost.',
          checked: ['passed: `npm test` (3 tests passed)', 'not run: the build check'],
          run: 'github:5031:1',
          diff: 'b',
        }),
        step('review', 4, 5, { cycle: 2, verdict: 'APPROVED', findings: ['23456789abcdef01'], diff: 'b' }),
      ],
    },
  ];
  const of = facts(given, ['sum']);
  const [task] = of.tasks;
  const words = { summary: 'I ran it with zeros.\n\nMore.', lookedAt: [] };
  const criteria = new Map([
    [1, { met: true, evidence: 'sum.test.js' }],
    [2, { met: false, evidence: '' }],
  ]);
  const review = { task: 'sum', step: task!.record!.steps!.at(-1)!, ...words, criteria };
  const head = 'abcdef1234567890';
  const block = printPullBlock(
    { ...of, review, head, runs: 'https://x.example/o/r/actions/runs' },
    bodyCharsMax,
  )?.block;
  expect(block).toMatchInlineSnapshot(`
"<!-- gza:begin (written by gza, which writes it anew; your text outside of it is kept) -->
### gza · in progress · at abcdef1

Task \`sum\`. Builds on #7 (\`gza/base\`): merge that first.

#### What was done

\`\`\`\`text
I count.

- in \`a.js\` closes ＃1 | <！-- gza:end --> ＠team ![x](http://x/y) </details>
\`\`\`
／gza stop "]:::x; click t0 \`code\` **b**
\`\`\`\`

- after review 1: Count zeros too

#### What was asked

- ✅ It counts – sum.test.js
- ❌ It is fast closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\\`\\\`\\\` /gza stop "\\]:::x; click t0 \`code\` \\*\\*b\\*\\*

#### How it was verified

On a fresh machine ([run 5031](https://x.example/o/r/actions/runs/5031)):

- ✅ passed: \`npm test\` (3 tests passed)
- ⚠️ not run: the build check

#### The last review

**APPROVED** in cycle 2 by claude, 1 follow-up:

> I ran it with zeros.

<details><summary>Cycles and cost</summary>

| Cycle | Verdict | Findings | Agent | Time |
| :-- | :-- | :-- | :-- | --: |
| work | done | – | claude | 2 min |
| 1 | CHANGES_REQUESTED | 2 blockers, 1 follow-up | claude | 2 min |
| 2 | APPROVED | 1 follow-up | claude | 60 s |
| **Total** |  |  |  | **5 min** |

</details>

<details><summary>The task as it was given</summary>

> Count them.

</details>

#### Steer it

- [ ] <!-- gza:box review -->Review again
- [ ] <!-- gza:box improve -->Improve it, as the last review asks
- [ ] <!-- gza:box pause -->Pause

Or comment \`/gza improve\` with what to change; \`/gza help\` lists all commands.
<!-- gza:end -->"
`);
  // What was changed after it was reviewed was judged by nobody.
  const changed = { ...task!, record: { ...task!.record!, steps: task!.record!.steps!.slice(0, 3) } };
  const stale = printPullBlock({ ...of, tasks: [changed], review }, bodyCharsMax)?.block ?? '';
  expect(stale).toContain('- ▫️ It counts\n');
});

test('a new task alone has no table, no graph, and can be paused', () => {
  expect(
    printPullBlock(facts([{ id: 'task-1a2b', title: 'Fix the typo' }], ['task-1a2b']), bodyCharsMax)?.block,
  ).toMatchInlineSnapshot(`
"<!-- gza:begin (written by gza, which writes it anew; your text outside of it is kept) -->
### gza · pending

Task \`task-1a2b\`.

#### What it waits for

- its turn: its implement step was not done yet

<details><summary>The task as it was given</summary>

> Content of task-1a2b

</details>

#### Steer it

- [ ] <!-- gza:box pause -->Pause

Or comment \`/gza improve\` with what to change; \`/gza help\` lists all commands.
<!-- gza:end -->"
`);
});

test('hostile titles, reasons, branches and agents stay text', () => {
  const given: Given[] = [
    { id: 'closes', title: '#1 and more' },
    {
      id: 'b--c-',
      title: hostile,
      depends_on: ['closes'],
      steps: [step('implement', 0, 1, { agent: hostile })],
      stop: { reason: 'x', detail: hostile, at: at(2) },
    },
  ];
  const block = printPullBlock(facts(given, ['closes', 'b--c-']), bodyCharsMax)?.block ?? '';
  expect(block).toMatchInlineSnapshot(`
"<!-- gza:begin (written by gza, which writes it anew; your text outside of it is kept) -->
### gza · 0 of 2 tasks done

- [ ] closes： ＃1 and more
- [ ] b--c-: closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\\`\\\`\\\` /gza stop "\\]:::x; click t0 \`code\` \\*\\*b\\*\\*

#### What it waits for

- \`closes\`: its turn: its implement step was not done yet
- \`b--c-\`: **a person**: closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\\`\\\`\\\` /gza stop "\\]:::x; click t0 \`code\` \\*\\*b\\*\\*. To go on: \`gza unblock b--c-\`, \`/gza retry b--c-\` or \`/gza skip b--c-\`

<details><summary>Cycles and cost</summary>

| Task | Cycle | Verdict | Agent | Time |
| :-- | :-- | :-- | :-- | --: |
| b--c- | work | done | closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\\`\\\`\\\` /gza stop "\\]:::x; click t0 \`code\` \\*\\*b\\*\\* | 60 s |

</details>

<details><summary>The task as it was given</summary>

**\`closes\`**

> Content of closes

**\`b--c-\`**

> Content of b--c-

</details>

#### Steer it

- [ ] <!-- gza:box review -->Review again
- [ ] <!-- gza:box improve -->Improve it, as the last review asks
- [ ] <!-- gza:box retry -->Retry what failed
- [ ] <!-- gza:box pause -->Pause

Or comment \`/gza improve\` with what to change; \`/gza help\` lists all commands.
<!-- gza:end -->"
`);
  expect(block).not.toMatch(/(?:closes|fixes):? #\d|(^|\W)@team|\u202e/m);
  expect(block.match(/<!-- gza:(?:begin|end)/g)).toHaveLength(2);
});

test('the status has neither boxes nor a graph', () => {
  const text = pullStatusText(facts(lane, ['login', 'logout']));
  expect(text).toContain('What it waits for');
  expect(text).not.toMatch(/gza:|mermaid/);
});

test('a review that is asked again for its verdict is one cycle', () => {
  const steps = [
    step('implement', 0, 1, { outcome: 'failed' }),
    step('implement', 1, 2),
    step('review', 2, 3, { outcome: 'no-verdict' }),
    step('review', 3, 4, { cycle: 1, verdict: 'APPROVED', findings: [] }),
  ];
  const of = board([{ id: 'a', steps }]);
  expect(cycleTable([viewOf(of, 'a')])).toMatchInlineSnapshot(`
"| Cycle | Verdict | Findings | Agent | Time |
| :-- | :-- | :-- | :-- | --: |
| work | done (2 steps) | – | claude | 2 min |
| 1 | APPROVED | none | claude | 2 min |
| **Total** |  |  |  | **4 min** |"
`);
});

test('boxes follow what can be done', () => {
  const boxesOf = (given: Partial<Given>) => pullBoxes([viewOf(board([{ id: 'a', ...given }]), 'a')]);
  expect(boxesOf({})).toEqual(['pause']);
  expect(boxesOf({ paused_at: at(1) })).toEqual(['resume']);
  expect(boxesOf({ steps: [did('implement')] })).toEqual(['review', 'improve', 'pause']);
  expect(boxesOf({ ...closed, closed_as: 'failed' })).toEqual(['retry']);
  expect(printPullBlock({ ...facts(lane, ['login']), isOver: true }, bodyCharsMax)?.block).not.toContain(
    'gza:box',
  );
});

describe('length', () => {
  const many = Array.from(
    { length: 220 },
    (_, n): Given => ({
      id: `task-${n}`,
      title: `${hostile} ${n}`,
      ...(n > 0 ? { depends_on: [`task-${n - 1}`] } : {}),
      ...(n < 60 ? closed : {}),
      steps: [step('implement', 0, 1), step('review', 1, 2, { cycle: 1, verdict: 'APPROVED' })],
    }),
  );
  const large = facts(
    many,
    many.map(({ id }) => id),
  );

  test('a shorter form says what it lacks, and where that is', () => {
    const planned = { ...large.tasks[3]!, task: { ...large.tasks[3]!.task, type: 'plan' as const } };
    const noted = { ...planned.record!, notes: [`plans/${planned.id}.md: 1 task\n${'🌕'.repeat(3_000)}`] };
    const of = { ...large, tasks: [...large.tasks, { ...planned, record: noted }] };
    const said = new Map<number, string>();
    for (const room of [60_000, 30_000, 10_000, 4_000, 1_000, 900]) {
      const printed = printPullBlock(of, room);
      if (!printed) continue;
      expect(printed.block.length).toBeLessThanOrEqual(room);
      expect(readBoxes(printed.block).length).toBeGreaterThan(0);
      expect(printed.block).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/);
      said.set(printed.stage, /<sub>.*<\/sub>/.exec(printed.block)?.[0] ?? '');
    }
    expect([...said.values()].join('\n')).toMatchInlineSnapshot(`
"
<sub>Shortened to fit, without the graph (\`gza graph\`). The ledger has the whole; \`gza sync\` fetches it.</sub>
<sub>Shortened to fit, without the graph (\`gza graph\`). The ledger has the whole; \`gza sync\` fetches it.</sub>
<sub>Shortened to fit, without the graph (\`gza graph\`), reviews and cost (\`gza report\`), what the plan came to (\`gza show\`). The ledger has the whole; \`gza sync\` fetches it.</sub>
<sub>Shortened to fit, without the graph (\`gza graph\`), reviews and cost (\`gza report\`), what the plan came to (\`gza show\`), the list of 221 tasks (\`gza list\`). The ledger has the whole; \`gza sync\` fetches it.</sub>"
`);
  });

  test('with any titles, what is printed is one block of bounded length', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { minLength: 1, maxLength: 5 }),
        (titles) => {
          const given = titles.map(
            (title, n): Given => ({ id: `t${n}`, title, stop: { reason: 'x', detail: title, at: at(1) } }),
          );
          const printed =
            printPullBlock(
              facts(
                given,
                given.map(({ id }) => id),
              ),
              bodyCharsMax,
            )?.block ?? '';
          expect(findBlock(printed)).toEqual({ start: 0, end: printed.length });
          expect(readBoxes(printed).map(({ name }) => name)).toEqual(['retry', 'pause']);
          // The title of an only task is that of the pull request.
          expect(printed.split('\n').filter((line) => /^- \[[ x]\] t\d/.test(line))).toHaveLength(
            titles.length > 1 ? titles.length : 0,
          );
        },
      ),
      { numRuns: 40 },
    );
  });
});
