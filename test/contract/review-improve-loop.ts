import type { Workshop } from '../e2e/workshop.ts';
import type { Document } from './play.ts';

const ids = 'Numbers in the specs (`gza work 3`) stand for ids';
const files =
  'Reviews live in the ledger and are copied to `.gza/reviews/`: `<id>.md`, for cycles `<id>-review-<n>.md`';
const mark =
  'A loop that ends without approval keeps the spec’s words, but its mark everywhere is `!` and not `✓`, `gza work` exits 3, and it waits for a person';
const improved = 'The improve after review n prints `[n+1/max]` and commits `(cycle n)`';

const points: Readonly<Record<number, string>> = { 1: 'missing input validation', 2: 'add rate limiting' };

/** Implements, and reviews with these verdicts: A, C or D for each cycle; the last one again and again. */
const reviews = (verdicts: string) => ({
  x: `case $GZA_STEP in
review) v=$(printf '${verdicts}' | cut -c$GZA_CYCLE); case \${v:-${verdicts.at(-1)}} in
  A) echo 'It does what was asked.'; verdict APPROVED ;;
  D) echo 'Which of the two did you mean?'; verdict NEEDS_DISCUSSION ;;
  *) case $GZA_CYCLE in 1) c='${points[1]}' ;; 2) c='${points[2]}' ;; *) c="still wrong in cycle $GZA_CYCLE" ;; esac
     verdict CHANGES_REQUESTED "$c" ;;
  esac ;;
*) echo "$GZA_STEP $GZA_CYCLE $GZA_TASK" >> a.txt; echo done ;;
esac`,
});

const feature = async (shop: Workshop, title: string, ...words: string[]) =>
  shop.add(title, '-t', 'implement', ...words);

/** Task 29, worked on to the end of its loop. */
const worked = async (shop: Workshop) => {
  const id = await feature(shop, 'Add feature X', '-a');
  await shop.work(id);
  return { '29': id };
};

export const reviewImproveLoop: Document = {
  document: 'review-improve-loop.md',
  blocks: [
    {
      name: 'step by step',
      agents: reviews('CCA'),
      before: async (shop) => ({ '29': await feature(shop, 'Add feature X', '--review') }),
      typed: `
$ gza work          # implement, and its review
Running task #29: Add feature X
…
✓ Task #29 completed
Running review task #task-0030...
  Review: CHANGES_REQUESTED - missing input validation
…
> [exit 3]
$ gza improve 29 --review
…
  Review: CHANGES_REQUESTED - add rate limiting
…
> [exit 3]
$ gza improve 29 --review
…
  Review: APPROVED
…
`,
      changedBy: [
        '`create_review` (files a review task: … run in the same run, never improving by itself)',
        '`gza improve` files and runs an improve task; `--review` reviews after it',
      ],
    },
    {
      name: 'all at once',
      agents: reviews('CA'),
      before: async (shop) => ({ '29': await feature(shop, 'Add feature X', '-a') }),
      typed: `
$ gza work          # implement + review + improve loop → APPROVED
Running task #29: Add feature X
…
✓ Task #29 completed (APPROVED after 2 cycles)
…
`,
    },
    { name: 'manual mode', heldBy: 'step by step, above' },
    {
      name: 'auto mode',
      agents: reviews('CCA'),
      before: worked,
      typed: `
$ gza log 29
29: Add feature X (completed)
…implement by x: ok…
…review 1 by x: CHANGES_REQUESTED…
…improve 1 by x: ok…
…review 2 by x: CHANGES_REQUESTED…
…improve 2 by x: ok…
…review 3 by x: APPROVED…
…
`,
    },
    {
      name: 'flags of the loop',
      typed: `
$ gza add "Add feature X" --type implement --auto-review
task-0001: Add feature X
$ gza show task-0001 --json | grep -E '"(auto_review|max_review_cycles)"'
  "max_review_cycles": 3,
  "auto_review": true,
$ gza add "Add feature X" --type implement --auto-review --max-cycles 5
task-0002: Add feature X
$ gza show task-0002 --json | grep -E '"(auto_review|max_review_cycles)"'
  "max_review_cycles": 5,
  "auto_review": true,
$ gza add "Add feature X" -t implement -a
task-0003: Add feature X
$ gza show task-0003 --json | grep -E '"(auto_review|max_review_cycles)"'
  "max_review_cycles": 3,
  "auto_review": true,
`,
    },
    {
      name: 'configuration of the loop',
      config:
        'defaults:\n  auto_review: false\n  max_review_cycles: 3\n\ntask_types:\n  implement:\n    auto_review: true      # Enable by default for implement tasks\n    max_review_cycles: 3\n',
      before: async (shop) => ({ '29': await feature(shop, 'Add feature X'), '30': await shop.add('Other') }),
      typed: `
$ gza show 29 --json | grep -E '"(auto_review|max_review_cycles)"'
  "max_review_cycles": 3,
  "auto_review": true,
$ gza show 30 --json | grep -E '"(auto_review|max_review_cycles)"'
  "max_review_cycles": 3,
  "auto_review": false,
`,
    },
    {
      name: 'fields of the loop',
      before: async (shop) => ({ '29': await shop.add('Add feature X') }),
      typed: `
$ gza show 29 --json | grep -E '"(auto_review|max_review_cycles|review_cycle|final_verdict)"'
  "review_cycle": 0,
  "final_verdict": null,
  "max_review_cycles": 3,
  "auto_review": false,
`,
    },
    {
      name: 'files of reviews',
      agents: reviews('CCA'),
      before: worked,
      typed: `
$ ls .gza/reviews | sed 's/task-[0-9a-f]*/29/' | grep -v answers
< 20260129-task-29-review-1.md
< 20260129-task-29-review-2.md
< 20260129-task-29-review-3.md
> 29-review-1.md
> 29-review-2.md
> 29-review-3.md
$ gza list --all
…Add feature X  completed  APPROVED (3 cycles)
`,
      changedBy: [files],
    },
    {
      name: 'the loop, in Python',
      agents: reviews('C'),
      before: async (shop) => ({ '29': await feature(shop, 'Add feature X', '-a', '--max-cycles', '2') }),
      typed: `
$ gza work 29
Running task #29: Add feature X
…
  Max review cycles (2) reached without approval
…
< [exit 0]
> [exit 3]
$ gza show 29 --json | grep '"final_verdict"'
  "final_verdict": "MAX_CYCLES_REACHED",
`,
      changedBy: [mark],
    },
    {
      name: 'the verdict of a review',
      agents: reviews('A'),
      before: worked,
      typed: `
$ cat .gza/reviews/*-review-1.md | grep Verdict
**Verdict: APPROVED**
`,
    },
    {
      name: 'reading the verdict, in Python',
      agents: {
        x: 'case $GZA_STEP in review) echo "I am not sure." ;; *) echo x > a.txt; echo done ;; esac',
      },
      before: worked,
      typed: `
$ gza show 29 --json | grep '"final_verdict"'
  "final_verdict": "CHANGES_REQUESTED",
`,
      changedBy: ['None or a contradiction is asked once more, briefly, by `perform`; both texts are kept'],
    },
    {
      name: 'status',
      agents: reviews('CCA'),
      before: async (shop) => {
        const x = (await worked(shop))['29'];
        shop.agent('x', reviews('C').x);
        const y = await feature(shop, 'Add feature Y', '-a');
        await shop.work(y);
        const z = await feature(shop, 'Add feature Z', '-a');
        shop.agent('x', `case $GZA_STEP.$GZA_CYCLE in improve.1) exit 1 ;; esac\n${reviews('C').x}`);
        await shop.work(z);
        await shop.says(`retry ${z}`);
        await shop.says(`claim ${z}`);
        return { '29': x, '30': y, '31': z };
      },
      typed: `
$ gza status
  ✓ 29. implement Add feature X    completed  APPROVED (3 cycles)
<   ✓ 30. implement Add feature Y    completed  MAX_CYCLES_REACHED (3 cycles)
>   ! 30. implement Add feature Y    completed  MAX_CYCLES_REACHED (3 cycles)
< → 31. implement Add feature Z    in_progress (cycle 2/3)
>   → 31. implement Add feature Z    in_progress (cycle 1/3)
`,
      changedBy: [mark],
    },
    {
      name: 'going on by hand',
      agents: reviews('CCC'),
      before: async (shop) => {
        const found = await worked(shop);
        shop.agent('x', reviews('A').x);
        return found;
      },
      typed: `
$ gza status
<   ✓ 29. implement Add feature X    completed  MAX_CYCLES_REACHED (3 cycles)
>   ! 29. implement Add feature X    completed  MAX_CYCLES_REACHED (3 cycles)
< $ cat .gza/reviews/20260129-task-29-review-3.md
> $ cat .gza/reviews/29-review-3.md | grep -o 'still wrong in cycle 3' | head -1
still wrong in cycle 3
$ gza improve 29 --review
…
  Review: APPROVED
…
`,
      changedBy: [mark, files],
    },
    {
      name: 'forcing approval',
      agents: reviews('CCC'),
      before: worked,
      typed: `
$ gza edit 29 --verdict APPROVED
29: Add feature X (edited)
$ gza status
  ✓ 29. implement Add feature X  completed  APPROVED (3 cycles)
`,
    },
    {
      name: 'a cheaper model for reviews',
      config:
        'task_types:\n  implement:\n    model: opus\n    review_model: sonnet  # Use for review phases within auto-review loop\n',
      before: async (shop) => ({ '29': await feature(shop, 'Add feature X') }),
      typed: `
$ gza config --explain 29 | grep -E '^(model|review_model) ' | tr -s ' '
review_model "sonnet" gza.yaml task_types.implement
model "opus" gza.yaml task_types.implement
`,
    },
    {
      name: 'timeouts',
      config:
        'task_types:\n  implement:\n    timeout_minutes: 60\n    review_timeout_minutes: 10  # Per review cycle\n    improve_timeout_minutes: 30  # Per improve cycle\n',
      before: async (shop) => ({ '29': await feature(shop, 'Add feature X') }),
      typed: `
$ gza config --explain 29 | grep -E '^(timeout|review_timeout|improve_timeout)_minutes ' | tr -s ' '
timeout_minutes 60 gza.yaml task_types.implement
review_timeout_minutes 10 gza.yaml task_types.implement
improve_timeout_minutes 30 gza.yaml task_types.implement
`,
    },
    {
      name: 'commits of the loop',
      agents: reviews('CCA'),
      before: worked,
      typed: `
$ git log --format="* %h %s" main..gza/29
< * abc123 Address review feedback (cycle 2)
< * def456 Address review feedback (cycle 1)
> * abc1234 Address review feedback (cycle 2): add rate limiting
> * def4567 Address review feedback (cycle 1): missing input validation
< * 789xyz Add feature X - initial implementation
> * 7890abc Add feature X
`,
      changedBy: [
        'A step becomes one commit made by gza from the agent’s final tree',
        'The subject of an improve also says what it changed',
      ],
    },
    {
      name: 'squashing',
      heldBy:
        '`gh pr merge --squash` is a command of github.com; test/jobs plays a squash against a simulated one',
    },
    {
      name: 'a whole day',
      agents: reviews('CCA'),
      typed: `
$ gza add "Add user authentication" --type implement --auto-review --max-cycles 3
task-0029: Add user authentication
$ gza work
Running task #task-0029: Add user authentication
  [1/3] Implementing...
  [1/3] Implementation complete
  [1/3] Running review...
  [1/3] Review: CHANGES_REQUESTED - missing input validation
  [2/3] Improving...
  [2/3] Running review...
  [2/3] Review: CHANGES_REQUESTED - add rate limiting
  [3/3] Improving...
  [3/3] Running review...
  [3/3] Review: APPROVED
✓ Task #task-0029 completed (APPROVED after 3 cycles)
…
$ ls .gza/reviews/ | grep -v answers
< 20260129-task-29-review-1.md
< 20260129-task-29-review-2.md
< 20260129-task-29-review-3.md
> task-0029-review-1.md
> task-0029-review-2.md
> task-0029-review-3.md
< $ cat .gza/reviews/20260129-task-29-review-3.md
> $ cat .gza/reviews/task-0029-review-3.md
…
**Verdict: APPROVED**
…
`,
      changedBy: [ids, files, improved],
    },
    {
      name: 'trying again',
      agents: reviews('CCA'),
      config: 'defaults: { agents: [x], max_attempts: 1 }\n',
      before: async (shop) => {
        const id = await feature(shop, 'Add feature X', '-a');
        shop.agent('x', `case $GZA_STEP.$GZA_CYCLE in improve.1) exit 1 ;; esac\n${reviews('CA').x}`);
        await shop.work(id);
        shop.agent('x', reviews('CA').x);
        return { '29': id };
      },
      typed: `
$ gza retry 29
29: will be tried again
$ gza work 29
Running task #29: Add feature X
  [2/3] Improving...
…
✓ Task #29 completed (APPROVED after 2 cycles)
…
`,
    },
  ],
};
