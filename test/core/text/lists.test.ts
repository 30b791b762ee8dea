import { describe, expect, test } from '@jest/globals';
import { inOrder, type TaskView } from '../../../src/core/board/board.ts';
import { displayWidth } from '../../../src/core/markdown/neutralise.ts';
import { decideTask } from '../../../src/core/policy/decide.ts';
import { deriveMilestones } from '../../../src/core/task/task.ts';
import { pullRequestTasks } from '../../../src/core/text/github/pull-request-tasks.ts';
import { dotGraph, mermaidGraph, textGraph } from '../../../src/core/text/terminal/graph.ts';
import { plain } from '../../../src/core/text/terminal/lines.ts';
import {
  countGroups,
  groupsText,
  milestonesText,
  nextText,
  overviewText,
  readyText,
  statusText,
} from '../../../src/core/text/terminal/lists.ts';
import {
  contextText,
  positionIn,
  positionPath,
  showText,
  treeText,
} from '../../../src/core/text/terminal/outline.ts';
import { boardSectionLines } from '../../../src/core/text/terminal/watch.ts';
import { whyText } from '../../../src/core/text/terminal/why.ts';
import { board, byBoard, claim, did, earlier, factsOf, type Given, later, viewOf } from '../world.ts';

const options = { style: plain, cyclesMax: () => 3, waits: byBoard.waits };
const all = (of: ReturnType<typeof board>): TaskView[] =>
  [...of.views.values()].sort((a, b) => a.position - b.position);
const done = { closed_at: '2025-12-13T10:00:00Z', closed_as: 'done' as const };

/** What a title could do to a line, a table, a graph or a terminal. */
const hostile =
  'a\r\nb | c\u001b[2J\u202e <!-- x --> "]:::x; click t0 href "javascript:1" @team fixes #1 \u2028 `z';

const chain: Given[] = [
  { id: '1', type: 'plan', title: 'Plan ImageTransform system', group: 'tarantino-v2', ...done },
  { id: '2', title: 'Implement ImageTransform', group: 'tarantino-v2', depends_on: ['1'] },
  { id: '3', type: 'review', title: 'Review ImageTransform impl', group: 'tarantino-v2', depends_on: ['2'] },
];

describe('status', () => {
  test('of a group', () => {
    const made = board(chain, { claims: [claim('2', { holder: 'claude' })] });
    expect(statusText('Group: tarantino-v2', all(made), options)).toMatchInlineSnapshot(`
"Group: tarantino-v2
  ✓ 1. Plan ImageTransform system  completed  12/13
  → 2. Implement ImageTransform    in_progress
  ○ 3. Review ImageTransform impl  pending (blocked by #2)"
`);
  });

  test('of a long backlog: what needs attention, what runs, what is next, the last that were done', () => {
    const given = Array.from({ length: 40 }, (_, n): Given => {
      const title = `Task ${n} ${'with a long title '.repeat(5)}`;
      if (n < 15) return { id: `t${n}`, title, ...done, closed_at: `2025-12-${10 + n}T10:00:00Z` };
      if (n === 15)
        return { id: 'asks', title, stop: { reason: 'agent-blocked', detail: 'Which colour?', at: earlier } };
      return { id: `t${n}`, title, ...(n > 35 ? { depends_on: ['t20'] } : {}) };
    });
    const made = board(given, {
      claims: [claim('t16', { step: 'implement', agent: 'claude', at: earlier })],
    });
    const waiting = [
      {
        id: 'asks',
        title: 'x',
        reason: 'agent-blocked',
        detail: 'Which colour?',
        commands: ['gza resume asks'],
      },
    ];
    const own = { ...options, readiness: byBoard, width: 80, lastLine: () => 'Running npm test' };
    const text = overviewText(boardSectionLines(made, waiting, own), all(made), own);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text.replaceAll(/Task (\d+) [^…]*…/g, 'Task $1…')).toMatchInlineSnapshot(`
"15 completed, 1 in_progress, 24 pending (gza status --all lists them)

Waiting for a person (1)
  ! asks  Task 15…  Which colour? (gza resume asks)

In progress (1)
  → t16  Task 16…  implement by claude, 60 min
      Running npm test

Ready (19)
  ○ t17  Task 17…
  ○ t18  Task 18…
  ○ t19  Task 19…
  ○ t20  Task 20…
  ○ t21  Task 21…
  ○ t22  Task 22…
  ○ t23  Task 23…
  ○ t24  Task 24…
  ○ t25  Task 25…
  ○ t26  Task 26…
    and 9 more

Blocked (4)
  ○ t36  Task 36…  blocked by #t20
  ○ t37  Task 37…  blocked by #t20
  ○ t38  Task 38…  blocked by #t20
  ○ t39  Task 39…  blocked by #t20

Done (15)
  ✓ t14. Task 14…  completed  12/24
  ✓ t13. Task 13…  completed  12/23
  ✓ t12. Task 12…  completed  12/22
  ✓ t11. Task 11…  completed  12/21
  ✓ t10. Task 10…  completed  12/20
  ✓ t9. Task 9…   completed  12/19
  ✓ t8. Task 8…   completed  12/18
  ✓ t7. Task 7…   completed  12/17
  ✓ t6. Task 6…   completed  12/16
  ✓ t5. Task 5…   completed  12/15
    and 5 more"
`);
  });

  test('of all, with what came of the loops', () => {
    const made = board(
      [
        { id: '29', title: 'Add feature X', ...done, final_verdict: 'APPROVED', review_cycle: 3 },
        { id: '30', title: 'Add feature Y', ...done, final_verdict: 'MAX_CYCLES_REACHED', review_cycle: 3 },
        { id: '31', title: 'Add feature Z', review_cycle: 2, steps: [did('implement')] },
        { id: '32', type: 'review', title: 'Review W', ...done, final_verdict: 'APPROVED' },
        { id: '33', title: 'One cycle', ...done, final_verdict: 'APPROVED', review_cycle: 1 },
        { id: '34', type: 'task', title: 'Broken', ...done, closed_as: 'failed', error: 'tests fail\nat x' },
        {
          id: '35',
          type: 'task',
          title: 'Elsewhere',
          ...done,
          closed_as: 'skipped',
          closed_reason: 'in #12',
        },
        { id: '36', type: 'task', title: 'Unwanted', ...done, closed_as: 'dropped' },
      ],
      {},
    );
    expect(statusText(null, all(made), options)).toMatchInlineSnapshot(`
"  ✓ 29. implement Add feature X  completed  APPROVED (3 cycles)
  ! 30. implement Add feature Y  completed  MAX_CYCLES_REACHED (3 cycles)
  → 31. implement Add feature Z  in_progress (cycle 2/3)
  ✓ 32. review Review W          completed  APPROVED
  ✓ 33. implement One cycle      completed  APPROVED (1 cycle)
  ✗ 34. task Broken              failed (tests fail)
  – 35. task Elsewhere           skipped (in #12)
  – 36. task Unwanted            skipped (dropped)"
`);
    expect(statusText(null, [], options)).toContain('gza add');
  });

  test('names at most three blockers', () => {
    const made = board([{ id: 'x', depends_on: ['a', 'b', 'c', 'd', 'e'] }]);
    expect(statusText(null, all(made), options)).toContain(
      '(blocked by #a, which does not exist, #b, which does not exist, #c, which does not exist and 2 more)',
    );
  });

  test('keeps one line a task and its columns with hostile and wide titles', () => {
    const made = board([
      { id: 'a', title: hostile },
      { id: 'b', title: '実装する'.repeat(30) },
      { id: 'c', title: '👩‍👩‍👧 e\u0301 family' },
      { id: 'd', title: 'x'.repeat(500) },
      { id: 'e', title: 'plain' },
    ]);
    const lines = statusText(null, all(made), options).split('\n');
    expect(lines).toHaveLength(5);
    const columns = lines.map((line) => displayWidth(line.slice(0, line.lastIndexOf('  pending'))));
    expect(new Set(columns).size).toBe(1);
    expect(lines.join('')).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
  });
});

describe('ready and next', () => {
  const given: Given[] = [
    { id: '1', type: 'plan', title: 'Design ImageTransform system' },
    { id: '2', title: 'Implement ImageTransform', depends_on: ['1'] },
    { id: '3', type: 'task', title: 'Fix stats bug' },
    { id: '4', type: 'review', title: 'Review ImageTransform', depends_on: ['2'] },
  ];

  test('next prints what can run, and how many wait', () => {
    const made = board(given);
    expect(nextText(inOrder(all(made).filter(byBoard.isReady), made), 2, [], false)).toMatchInlineSnapshot(`
"1. [plan] Design ImageTransform system
3. [task] Fix stats bug

(2 tasks blocked by dependencies)"
`);
    expect(nextText(all(made), 2, [], true)).toMatchInlineSnapshot(`
"1. [plan] Design ImageTransform system
2. [implement] Implement ImageTransform (blocked by #1)
3. [task] Fix stats bug
4. [review] Review ImageTransform (blocked by #2)"
`);
    expect(nextText([], 0, [], false)).toBe('No pending tasks.');
    expect(nextText([], 1, [], false)).toBe('(1 task blocked by dependencies)');
  });

  test('ready begins with the next task, without a header, and says who waits for whom', () => {
    const made = board([
      { id: 'task-b4c9', title: 'Add input validation to /api/users endpoint' },
      { id: 'task-a3f8', title: 'Refactor', steps: [did('implement')] },
      { id: 'task-c5d0', title: 'Write tests', depends_on: ['task-a3f8'] },
      { id: 'task-f', title: 'Broken', ...done, closed_as: 'failed', error: 'boom' },
      { id: 'task-e', title: 'After it', depends_on: ['task-f', 'task-a3f8'] },
    ]);
    const views = all(made);
    const blocked = views.filter(({ status }) => status === 'blocked');
    expect(readyText(views.filter(byBoard.isReady), blocked)).toMatchInlineSnapshot(`
"task-b4c9: Add input validation to /api/users endpoint
(task-c5d0 blocked by task-a3f8)
(task-e blocked by #task-f, which failed (boom), #task-a3f8)"
`);
    expect(readyText([], [])).toBe('Nothing is ready and nothing is blocked.');
  });
});

describe('groups and milestones', () => {
  test('groups are counted, the ungrouped last and without counts', () => {
    const made = board(
      [
        ...chain,
        { id: '4', group: 'auth-refactor' },
        { id: '5', group: 'auth-refactor', depends_on: ['4'] },
        ...['6', '7', '8', '9', '10'].map((id) => ({ id })),
      ],
      { claims: [claim('2')] },
    );
    expect(groupsText(countGroups(made))).toMatchInlineSnapshot(`
"tarantino-v2   3 tasks (1 pending, 1 in_progress, 1 completed)
auth-refactor  2 tasks (2 pending)
(ungrouped)    5 tasks"
`);
  });

  test('milestones print their state and how far they are', () => {
    const made = board([
      { id: '1', milestone: 'M1', ...done },
      { id: '2', milestone: 'M1' },
      { id: '3', milestone: 'M2' },
    ]);
    const members = all(made).map(({ id, status, task }) => ({ id, status, milestone: task.milestone }));
    const milestones = deriveMilestones(members, [{ id: 'M1', name: 'Core Features' }]);
    expect(milestonesText(milestones)).toMatchInlineSnapshot(`
"M1 Core Features  in_progress 1/2 completed
M2                pending     0/1 completed"
`);
  });
});

describe('pr', () => {
  test('is the list with commits and the dependency graph', () => {
    const made = board([
      {
        id: 'task-a3f8',
        title: 'Refactor auth middleware to use JWT',
        ...done,
        closed_commit: 'abc12345678',
      },
      {
        id: 'task-b4c9',
        title: 'Add input validation',
        ...done,
        closed_commit: 'def56789012',
        closed_as: 'failed',
      },
      { id: 'task-c5d0', title: 'Write tests for auth middleware', depends_on: ['task-b4c9'] },
      { id: 'task-d', title: 'Unwanted', ...done, closed_as: 'dropped' },
    ]);
    expect(pullRequestTasks(all(made), made)).toMatchInlineSnapshot(`
"## Tasks

- [x] task-a3f8: Refactor auth middleware to use JWT (abc1234)
- [ ] task-b4c9: Add input validation (def5678)
- [ ] task-c5d0: Write tests for auth middleware
- ~~task-d: Unwanted~~ (dropped)

### Dependency Graph
task-b4c9 → task-c5d0 (blocked)"
`);
  });

  test('a title can neither mention, close, comment, tag nor break its line', () => {
    const text = pullRequestTasks(
      [viewOf(board([{ id: 'a', title: `${hostile} &#64;bob </details> [skip ci] closes GH-7` }]), 'a')],
      board([]),
    );
    expect(text.split('\n')).toHaveLength(3);
    expect(text).not.toMatch(/@team|&#64;|<|fixes #|closes GH|\[skip ci\]|[^\\]\||[^\P{Cc}\n]|\u202e/u);
  });
});

describe('tree, where and context', () => {
  const plan: Given[] = [
    { id: 't', title: 'Implement authentication', plan_file: 'docs/plans/2025-12-24-auth.md' },
    { id: 't1', title: 'Brainstorm design', parent: 't', ...done },
    { id: 't2', title: 'Execute plan', parent: 't' },
    { id: 't21', title: 'Task 1: Add user model', parent: 't2', assigned_agent: 'backend', ...done },
    { id: 't22', title: 'Task 2: Add login endpoint', parent: 't2', assigned_agent: 'backend' },
    { id: 't221', title: 'Implementation', parent: 't22', ...done },
    { id: 't222', title: 'Spec review', parent: 't22' },
    { id: 't223', title: 'Code quality review', parent: 't22' },
    { id: 't23', title: 'Task 3: Add JWT middleware', parent: 't2' },
    { id: 't3', title: 'Finish branch', parent: 't' },
  ];

  test('the tree marks the first open leaf in the order printed, not the shallowest', () => {
    const made = board(plan);
    const ids = new Set(made.views.keys());
    expect(treeText(made, ids)).toMatchInlineSnapshot(`
"[ ] Implement authentication (plan: docs/plans/2025-12-24-auth.md)
    [x] Brainstorm design
    [ ] Execute plan
        [x] Task 1: Add user model (@backend, completed)
        [ ] Task 2: Add login endpoint (@backend, active)
            [x] Implementation
            [ ] Spec review          <-- current position
            [ ] Code quality review
        [ ] Task 3: Add JWT middleware (pending)
    [ ] Finish branch"
`);
    expect(positionIn(made, ids)).toBe('t222');
    expect(positionPath(made, 't222')).toBe(
      'Implement authentication › Execute plan › Task 2: Add login endpoint › Spec review',
    );
  });

  test('the context is Markdown with the current task', () => {
    const made = board(plan);
    const ids = new Set(['t21', 't22', 't222', 't23']);
    expect(contextText(made, ids, { bytesMax: 1000 })).toMatchInlineSnapshot(`
"## Current Tasks
- [x] t21: Task 1: Add user model (@backend, completed)
- [ ] t22: Task 2: Add login endpoint (@backend, in spec review)
  - [ ] t222: Spec review (pending)  <-- current
- [ ] t23: Task 3: Add JWT middleware (pending)"
`);
  });

  test.each(['A title of a common length', '長い題名'.repeat(20), hostile])(
    'the context of 500 tasks stays under 1 KB around the current one: %j',
    (title) => {
      const many = Array.from(
        { length: 500 },
        (_, n): Given => ({
          id: `task-${1000 + n}`,
          title: `${n} ${title}`,
          ...(n > 0 ? { parent: `task-${1000 + n - 1 - (n % 3 ? 0 : 1)}` } : {}),
        }),
      );
      const made = board(many);
      const text = contextText(made, new Set(made.views.keys()), { bytesMax: 1000 });
      expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(1000);
      expect(text).toContain('<-- current');
      expect(text).toMatch(/\(\d+ more (above|below)\)/);
    },
  );

  test('a chain of 3,000 parents prints in reasonable size', () => {
    const deep = Array.from(
      { length: 3000 },
      (_, n): Given => ({ id: `t${n}`, ...(n ? { parent: `t${n - 1}` } : {}) }),
    );
    const made = board(deep);
    expect(treeText(made, new Set(made.views.keys())).length).toBeLessThan(300_000);
  });
});

describe('show and why', () => {
  test('show has the lines of git-tasks first', () => {
    const made = board([
      {
        id: 'task-a3f8',
        title: 'Refactor auth middleware to use JWT',
        content: 'Refactor auth middleware to use JWT',
        created_at: '2025-01-02T10:30:00Z',
        closed_at: '2025-01-02T11:45:00Z',
        closed_as: 'done',
        closed_commit: 'abc1234def',
        created_by: 'claude-code',
        notes: ['first', 'second\nline'],
      },
    ]);
    expect(showText(viewOf(made, 'task-a3f8'), null)).toMatchInlineSnapshot(`
"task-a3f8: Refactor auth middleware to use JWT
status: done
created: 2025-01-02T10:30:00Z
closed: 2025-01-02T11:45:00Z
commit: abc1234
type: implement
created by: claude-code

notes:
- first
- second
  line"
`);
  });

  test('what others wrote keeps its lines but cannot move the cursor', () => {
    const made = board([
      { id: 'a', title: hostile, content: `x\u001b[2J\r\ny\u202e`, notes: [hostile], error: hostile },
    ]);
    const text = showText(viewOf(made, 'a'), null);
    expect(text).toContain('x[2J\ny');
    expect(text).not.toMatch(/[^\P{C}\n\t]/u);
  });

  test('why names the rule, what it saw and what would change it', () => {
    const made = board([{ id: 'a', title: 'After it', depends_on: ['b'] }, { id: 'b' }]);
    const view = viewOf(made, 'a');
    expect(whyText(view, decideTask(view, factsOf(made)))).toMatchInlineSnapshot(`
"a: After it
status: blocked
rule: dependency-unmet
action: wait
because: blocked by #b
would change it: b is completed
blocker: #b"
`);
    const held = viewOf(made, 'b');
    const busy = factsOf(
      board([{ id: 'b' }], { claims: [claim('z', { until: later, at: earlier, run: 'local:a:1:1' })] }),
    );
    expect(whyText(held, decideTask(held, busy))).toMatchInlineSnapshot(`
"b: Title of b
status: pending
rule: workers-busy (holds back: implement)
action: wait
because: one task runs already, the limit
would change it: one of them ends, or parallel_workers is raised"
`);
  });
});

describe('graph', () => {
  const made = board([
    { id: 'a', title: hostile, files_to_create: ['x'] },
    { id: 'b', title: 'B', depends_on: ['a'] },
    { id: 'c', title: 'C', files_to_modify: ['x'] },
    { id: 'd', title: 'D' },
  ]);

  test('a title cannot break out of a Mermaid label', () => {
    const text = mermaidGraph(all(made), made);
    expect(text).toMatchInlineSnapshot(`
"graph LR
  t0["a: a b ｜ c ［2J  ＜！-- x --＞ ＂］:::x； click t…"]:::pending
  t1["b: B"]:::blocked
  t2["c: C"]:::blocked
  t3["d: D"]:::pending
  t0 --> t1
  t0 -.-> t2
  classDef pending fill:#f6f8fa,color:#24292f,stroke:#8c959f
  classDef blocked fill:#fff8c5,color:#24292f,stroke:#8c959f"
`);
    for (const line of text.split('\n').slice(1, 5)) {
      expect(line).toMatch(/^ {2}t\d\["[^"<>\]`;]*(?:#\d+;[^"<>\]`;]*)*"\]:::\w+$/);
    }
  });

  test('a title cannot break out of a DOT string', () => {
    for (const line of dotGraph(all(made), made).split('\n').slice(3, 7)) {
      expect(line).toMatch(/^ {2}"[a-d]" \[label="(?:[^"\\]|\\["\\])*", fillcolor="#[0-9a-f]{6}"\];$/);
    }
  });

  test('as text it has one edge a line', () => {
    expect(textGraph(all(made), made)).toMatchInlineSnapshot(`
"a → b (blocked)
a → c (by file) (blocked)
d"
`);
  });
});

test('show says what the last review found, and how to go on', () => {
  const view = viewOf(
    board([
      {
        id: 'a',
        title: 'A',
        ...done,
        final_verdict: 'MAX_CYCLES_REACHED',
        steps: [
          did('review', {
            cycle: 3,
            verdict: 'CHANGES_REQUESTED',
            findings: ['!0123456789abcdef', '123456789abcdef0'],
            claims: ['src/a.js:3 It is lost', '- Say why'],
          }),
        ],
      },
    ]),
    'a',
  );
  expect(showText(view, null, ['gza improve a', 'gza approve a'])).toMatch(
    /^next: gza improve a \| gza approve a\nfindings of review 3 \(.*\):\n- blocker src\/a\.js:3 It is lost\n- follow-up Say why$/m,
  );
});
