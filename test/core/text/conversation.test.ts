import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bodyCharsMax } from '../../../src/core/markdown/body-block.ts';
import { parseCommentCommands } from '../../../src/core/markdown/parse-comment-commands.ts';
import { decide } from '../../../src/core/policy/decide.ts';
import { type Finding, makeFindings } from '../../../src/core/review/finding.ts';
import { type Trap, trapText } from '../../../src/core/text/doctor/trap-texts.ts';
import { trapNotice } from '../../../src/core/text/github/board-issue.ts';
import {
  answeredComment,
  commandHelp,
  printAnswer,
  refusalText,
  whyAnswer,
} from '../../../src/core/text/github/command-answer.ts';
import { inlineText, quotedText } from '../../../src/core/text/github/inline-text.ts';
import { mergeLabels, pullLabels, pullState, pullTitle } from '../../../src/core/text/github/pull-story.ts';
import {
  chooseInline,
  inlineMax,
  printInlineComment,
  printReviewComment,
  type ReviewFacts,
  reviewCharsMax,
} from '../../../src/core/text/github/review-comment.ts';
import { printStepSummary, summaryCharsMax } from '../../../src/core/text/github/step-summary.ts';
import { reviewStatus, statusCharsMax } from '../../../src/core/text/terminal/status-text.ts';
import { board, claim, earlier, factsOf, type Given, viewOf } from '../world.ts';

const hostile = 'closes #1 | <!-- gza:end --> @team ![x](http://x/y) </details> \u202e**b**';

const findings = makeFindings([
  {
    severity: 'blocker',
    file: 'src/login.ts',
    line: 12,
    claim: 'The password is compared with `==`, which leaks its length | and more',
    evidence: 'See `src/login.ts`:\n\n```ts\nif (given == stored) return true;\n```',
    fix: 'Use timingSafeEqual.\nAdd a test.',
  },
  { severity: 'follow-up', file: null, line: null, claim: hostile, evidence: hostile, fix: '' },
  { severity: 'follow-up', file: 'README.md', line: 4, claim: 'Typo: passwort', evidence: '', fix: '' },
]);

function review(fields: Partial<ReviewFacts> = {}): ReviewFacts {
  return {
    verdict: 'CHANGES_REQUESTED',
    cycle: 1,
    cyclesMax: 3,
    findings,
    inline: [],
    repeated: [],
    ...fields,
  };
}

/** The fingerprints of the findings that a text tells of. */
function marks(text: string): Set<string> {
  return new Set([...text.matchAll(/<!-- gza:finding ([0-9a-f]{16}) -->/g)].map((match) => match[1] ?? ''));
}

describe('a review', () => {
  test('with a finding on its line, one in the table and one said before', () => {
    const [inline, listed, repeated] = findings as [Finding, Finding, Finding];
    const facts = review({
      inline: [inline],
      repeated: [repeated],
      agent: 'claude',
      model: 'm-1',
      head: 'abc1234def',
    });
    expect(printReviewComment({ ...facts, next: 'An improve step follows.' })).toMatchInlineSnapshot(`
"### gza review 1 of 3

🔁 **Verdict: CHANGES_REQUESTED** · 1 blocker, 2 follow-ups

#### Blockers

- 1, on its line below

#### Follow-ups

- **closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\*\\*b\\*\\***
  
  > closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\*\\*b\\*\\*

Still open from an earlier review:

- 💡 Follow-up: Typo: passwort (\`README.md:4\`)

An improve step follows.

<sub>Review by claude (m-1) of abc1234. A verdict of gza is advice: it holds for this diff and merges nothing.</sub>

<!-- gza:finding 82fe79ed2bcc70ef -->"
`);
    expect(printInlineComment(inline, 1)).toMatchInlineSnapshot(`
"**🛑 Blocker**: The password is compared with \`==\`, which leaks its length \\| and more

**Evidence**

\`\`\`\`text
See \`src/login.ts\`:

\`\`\`ts
if (given == stored) return true;
\`\`\`
\`\`\`\`

**What to do**

> Use timingSafeEqual.
> Add a test.

<sub>gza review 1. Answer here, or resolve the conversation if it does not hold.</sub>

<!-- gza:finding 2bbcf2bde0d6f2d8 -->"
`);
    expect(marks(printReviewComment(facts) + printInlineComment(inline, 1))).toEqual(
      new Set([inline.fingerprint, listed.fingerprint]),
    );
  });

  test('an approval is short', () => {
    expect(
      printReviewComment(review({ verdict: 'APPROVED', findings: [], cycle: 2 })),
    ).toMatchInlineSnapshot(`
"### gza review 2 of 3

✅ **Verdict: APPROVED** · no findings

<sub>A verdict of gza is advice: it holds for this diff and merges nothing.</sub>"
`);
  });

  test('every finding is told of; blockers have the first right to a line', () => {
    const parts = Array.from({ length: 80 }, (_, n) => ({
      severity: n < 60 ? ('follow-up' as const) : ('blocker' as const),
      file: 'a.ts',
      line: n + 1,
      claim: `Claim ${'abcdefghij'[n % 10]}${'klmnopqrst'[Math.floor(n / 10)]}`,
      evidence: hostile.repeat(20),
      fix: hostile.repeat(20),
    }));
    const many = makeFindings(parts);
    const inline = chooseInline(many, (_file, line) => line % 2 === 0);
    expect(inline).toHaveLength(inlineMax);
    expect(inline.filter(({ severity }) => severity === 'blocker')).toHaveLength(10);
    const text = printReviewComment(review({ findings: many }));
    expect(text.length).toBeLessThanOrEqual(reviewCharsMax);
    expect(text).toContain('The evidence of 70 more findings did not fit');
    expect(marks(text).size).toBe(80);
  });
});

describe('outside text', () => {
  const nasty = fc.string({
    unit: fc.constantFrom(
      '`',
      '``',
      '\\',
      '|',
      '<',
      '>',
      '!',
      '--',
      '*',
      '_',
      '[',
      ']',
      '@a',
      '#1',
      'fixes ',
      'gza:end',
      '\n',
      '\r',
      '&',
      ' ',
      '/gza',
      'x',
      '\u200b',
    ),
    maxLength: 30,
  });

  test('on a line: one line, no marker, no mention, no closing word, no table break, no tag', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const line = inlineText(text);
        expect(line).not.toMatch(/[\r\n\u200b]|<!--|(?<![A-Za-z0-9])@a|(?<![A-Za-z0-9])fixes #1/);
        // Outside of inline code no tag and no bar is left.
        const plain = line.replaceAll(/\\[\s\S]|(?<!`)(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, '');
        expect(plain).not.toMatch(/[<|`]/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('quoted: each line stays a quote, or all of it is one block of code', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const lines = quotedText(text, 200).split('\n');
        if (/^`{3,}text$/.test(lines[0] ?? '')) expect(lines.at(-1)).toBe(lines[0]?.replace('text', ''));
        else expect(lines.every((line) => line === '' || line.startsWith('>'))).toBe(true);
      }),
    );
  });
});

describe('an answer', () => {
  test('to a comment with several commands', () => {
    const { problems } = parseCommentCommands(
      '/gza improve use a map\n/gza aprove\n/gza dance\n> x\n/gza review',
    );
    const text = printAnswer({
      commentId: 991,
      problems,
      outcomes: [
        { command: 'improve use a map', kind: 'working', text: 'an improve step begins with the next pick' },
        {
          command: 'skip',
          kind: 'refused',
          text: refusalText({ kind: 'no-permission', needed: 'write', has: 'read' }),
        },
        { command: 'retry', kind: 'failed', text: `the agent said: ${hostile}` },
      ],
    });
    expect(text).toMatchInlineSnapshot(`
"- ⏳ \`gza improve use a map\`: an improve step begins with the next pick
- 🚫 \`gza skip\`: it needs write access to this repository, and you have read. Someone who has it can comment the same.
- ❌ \`gza retry\`: the agent said: closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\*\\*b\\*\\*
- ❓ Line 2: there is no command \`gza aprove\`. Did you mean \`/gza approve\`?
- ❓ Line 3: there is no command \`gza dance\`. \`/gza help\` lists them all.
- ❓ Line 5: it stands right under a quote or in code that is never closed, so it may not be your own words. Put an empty line before it and comment again.

<!-- gza:answer 991 -->"
`);
    expect(answeredComment(text)).toBe(991);
    expect(answeredComment('no')).toBeNull();
  });

  test('help', () => {
    expect(commandHelp()).toMatchInlineSnapshot(`
"| Comment | What it does |
| :-- | :-- |
| \`/gza improve\` | \`[guidance]\` change the work as said, or as the last review asks |
| \`/gza review\` | review the branch as it is now |
| \`/gza work\` | hand the branch to gza: open boxes of the description become tasks, an issue without boxes is one task, or the work goes on |
| \`/gza retry\` | do what failed again, in a fresh session |
| \`/gza resume\` | go on where it stopped, in the same session where the agent can; also ends a pause |
| \`/gza approve\` | \`[reason]\` approve a plan, or the work as it is |
| \`/gza merge\` | merge it, and what it stands on, as soon as it can be; only as it is now |
| \`/gza skip\` | \`[reason]\` it was done elsewhere: what waits for it may start |
| \`/gza stop\` | stop what runs now; what was done is kept |
| \`/gza pause\` | start nothing more here until \`/gza resume\`; \`/gza pause all\` holds every task, until \`/gza resume all\` |
| \`/gza reopen\` | take up again what was closed |
| \`/gza rebase\` | put the branch on top of its base |
| \`/gza split\` | make several smaller tasks of this one |
| \`/gza add\` | \`"…"\` file a new task |
| \`/gza status\` | what is done, what runs, what waits |
| \`/gza why\` | the rule that decides what happens next |
| \`/gza help\` | this list |

A command stands at the start of a line, outside of quotes and code. What follows it, up to an empty line, is its guidance. A task can be named: \`/gza retry task-1a2b\`."
`);
  });

  test('why', () => {
    const of = board([
      { id: 'a', stop: { reason: 'x', detail: hostile, at: earlier } },
      { id: '12', depends_on: ['a'] },
    ]);
    const text = whyAnswer(decide(factsOf(of)), (id) => of.views.has(id));
    expect(text).toMatchInlineSnapshot(`
"| Task | Rule | Because | Would change it |
| :-- | :-- | :-- | :-- |
| a | waits-for-person | blocked by a stop that a person must answer: closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\*\\*b\\*\\* | \`gza unblock a\`, \`/gza retry a\` or \`/gza skip a\` |
| 12 | dependency-unmet | blocked by \`a\` | a is completed |"
`);
    expect(whyAnswer([], () => false)).toBe('Nothing is left to decide here.');
  });

  test('gives no commands itself, and fits', () => {
    const outcome = {
      command: 'status',
      kind: 'done' as const,
      text: '/gza stop',
      details: 'x\n'.repeat(50_000),
    };
    const text = printAnswer({ commentId: 1, problems: [], outcomes: [outcome] });
    expect(text.length).toBeLessThanOrEqual(bodyCharsMax);
    expect(answeredComment(text)).toBe(1);
    expect(parseCommentCommands(`${commandHelp()}\n${text.slice(0, 500)}`)).toEqual({
      commands: [],
      problems: [],
    });
  });
});

describe('statuses', () => {
  test('read as facts', () => {
    const ended = { kind: 'ended', cycle: 2, blockers: 1, followUps: 2 } as const;
    expect(
      [
        reviewStatus({ kind: 'reviewing', cycle: 1, cyclesMax: 3 }),
        reviewStatus({ kind: 'improving', cycle: 1, cyclesMax: 3 }),
        reviewStatus({ ...ended, verdict: 'APPROVED', blockers: 0 }),
        reviewStatus({ ...ended, verdict: 'APPROVED', by: 'ada' }),
        reviewStatus({ ...ended, verdict: 'NEEDS_DISCUSSION' }),
        reviewStatus({ ...ended, verdict: 'MAX_CYCLES_REACHED' }),
        reviewStatus({ kind: 'failed', why: 'the agent gave no verdict' }),
      ].map(({ state, text }) => `${state}: ${text}`),
    ).toMatchInlineSnapshot(`
[
  "pending: Reviewing (cycle 1/3)",
  "pending: Changes requested, improving (cycle 1/3)",
  "success: Approved in cycle 2, 2 follow-ups",
  "success: Approved by ada",
  "failure: Needs discussion, 1 blocker, 2 follow-ups; a person is asked",
  "failure: Not approved after 2 cycles, 1 blocker, 2 follow-ups; a person is asked",
  "error: No review: the agent gave no verdict",
]
`);
  });

  test('are never longer than GitHub takes', () => {
    for (const text of [hostile.repeat(20), 'x'.repeat(500)]) {
      expect(reviewStatus({ kind: 'failed', why: text }).text.length).toBeLessThanOrEqual(statusCharsMax);
    }
  });
});

describe('title and labels', () => {
  const views = (given: readonly Given[]) => {
    const of = board(given, { claims: given.some(({ id }) => id === 'run') ? [claim('run')] : [] });
    return given.map(({ id }) => viewOf(of, id));
  };

  test('of one task, of several, of a group', () => {
    expect(pullTitle(views([{ id: 'a', title: 'Add login' }]))).toBe('Add login');
    expect(pullTitle(views([{ id: 'a', title: 'Add login' }, { id: 'b' }]))).toBe('Add login (and 1 more)');
    const group = { group: 'Shop v2' };
    expect(
      pullTitle(
        views([
          { id: 'a', ...group },
          { id: 'b', ...group },
        ]),
      ),
    ).toBe('Shop v2 (2 tasks)');
    const long = pullTitle(views([{ id: 'a', title: hostile.repeat(9) }, { id: 'b' }]));
    expect(long.length).toBeLessThanOrEqual(120);
    expect(long).toMatch(/^closes ＃1 .*… \(and 1 more\)$/);
  });

  test('labels are bounded, unique, and people keep theirs', () => {
    const given = views([
      {
        id: 'a',
        group: 'Shop',
        milestone: 'M1',
        closed_at: earlier,
        closed_as: 'done',
        final_verdict: 'APPROVED',
      },
      { id: 'b', group: 'shop', milestone: `M,2 ${'x'.repeat(90)}`, closed_at: earlier, closed_as: 'done' },
    ]);
    const labels = pullLabels(given);
    expect(labels).toMatchInlineSnapshot(`
[
  "gza",
  "gza: approved",
  "group: Shop",
  "milestone: M1",
  "milestone: M 2 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
]
`);
    expect(mergeLabels(['bug', 'gza', 'gza: working', 'Group: Shop'], labels)).toMatchInlineSnapshot(`
[
  "bug",
  "gza",
  "Group: Shop",
  "gza: approved",
  "milestone: M1",
  "milestone: M 2 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…",
]
`);
  });

  test('the state that asks for a person comes first', () => {
    const stop = { reason: 'x', detail: 'y', at: earlier };
    expect(pullState(views([{ id: 'run' }]))).toBe('working');
    expect(pullState(views([{ id: 'run' }, { id: 'b', stop }]))).toBe('needs a person');
    expect(pullState(views([{ id: 'a', paused_at: earlier }]))).toBe('paused');
    expect(pullState(views([{ id: 'a' }]))).toBe('waiting');
    expect(pullState(views([{ id: 'a', closed_at: earlier, closed_as: 'failed' }]))).toBe('failed');
    expect(pullState(views([{ id: 'a', closed_at: earlier, closed_as: 'done' }]))).toBe('done');
  });
});

test('a job summary tells what was done, and how the board stands where no issue shows it', () => {
  const given: Given[] = [
    { id: 'a', title: 'Add login' },
    { id: 'b', title: hostile, depends_on: ['a'] },
  ];
  const of = board(given);
  const shown = { board: of, decisions: decide(factsOf(of)) };
  const facts = { board: shown, job: 'land', said: 'Pushed one commit.' };
  const rows = [
    { task: 'a', step: 'implement', outcome: 'ok', agent: 'claude', cost_usd: 0.5, seconds: 600 },
    { task: 'a', step: 'review', outcome: 'APPROVED', cost_usd: 0.25, seconds: 61 },
  ];
  expect(printStepSummary({ ...facts, rows, notices: [hostile] })).toMatchInlineSnapshot(`
"## gza land

Pushed one commit.

> [!WARNING]
> closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\*\\*b\\*\\*

| Task | Step | Outcome | Agent | Cost | Time |
| :-- | :-- | :-- | :-- | --: | --: |
| a | implement | ok | claude | $0.50 | 10 min |
| a | review | APPROVED | – | $0.25 | 61 s |
| **Total** |  |  |  | **$0.75** | **11 min** |

**1 next · 1 blocked**

### Next

- **a: Add login**<br>its implement step was not done yet

### Blocked

- **b: closes ＃1 \\| &lt;！-- gza:end --> ＠team !\\[x\\](http://x/y) &lt;/details> \\*\\*b\\*\\***<br>blocked by \`a\`
"
`);
  const many = Array.from({ length: 2_000 }, () => ({ ...rows[0]!, outcome: hostile.repeat(50) }));
  expect(printStepSummary({ ...facts, rows: many }).length).toBeLessThanOrEqual(summaryCharsMax);
});

describe('traps', () => {
  const traps: Trap[] = [
    { kind: 'pull-creation-off', branch: 'gza/a' },
    { kind: 'runs-await-approval', pulls: Array.from({ length: 12 }, (_, n) => n + 1) },
    { kind: 'default-branch-renamed', from: 'master', to: 'main' },
    { kind: 'runner-not-ephemeral', runner: 'box-1' },
    { kind: 'dispatch-refused', said: hostile },
    { kind: 'ci-not-started', workflow: 'ci.yml', branch: 'gza/a', said: hostile },
    { kind: 'no-room-in-body', pull: 7 },
  ];

  test('each says what happened, what was kept and what to do, in a bounded text that does nothing', () => {
    for (const trap of traps) {
      const { happened, kept, next } = trapText(trap);
      for (const text of [happened, kept, ...next]) expect(text).not.toBe('');
      const text = trapNotice(trap);
      expect(text.length).toBeLessThan(2_000);
      expect(text).not.toMatch(/(?<!\w)@team|closes #1|<!--|<\/details|\n/);
      expect(parseCommentCommands(text).commands).toEqual([]);
    }
  });

  test('reads like this', () => {
    expect(trapNotice(traps[0]!)).toMatchInlineSnapshot(
      `"- **GitHub Actions may not create pull requests in this repository.** The work is committed and pushed to \`gza/a\`.<br>switch on Settings → Actions → General → "Allow GitHub Actions to create and approve pull requests" (an organisation has the same switch above it), then \`gza retry\` or wait for the next run; or open the pull request from \`gza/a\` by hand: gza finds it and goes on there."`,
    );
    expect(trapNotice(traps[1]!, '[All that wait](https://x.example)')).toMatchInlineSnapshot(
      `"- **Checks of #1, #2, #3, #4, #5, #6, #7, #8, #9, #10, 2 more wait for approval: GitHub starts none on what a job's token pushed before a person lets it.** What gza does goes on; only those checks have not run.<br>press "Approve workflows to run" at the end of the pull request; for all that follow, name the workflow under \`ci_workflow:\` in gza.yaml and give it an \`on: workflow_dispatch:\`; gza then starts it itself; or give the workflow a GitHub App (\`app-client-id:\`), whose token may do it and starts your checks. [All that wait](https://x.example)"`,
    );
  });
});
