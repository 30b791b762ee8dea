import type { Workshop } from '../e2e/workshop.ts';
import type { Document } from './play.ts';

const ids = 'Numbers in the specs (`gza work 3`) stand for ids';

const add = async (shop: Workshop, title: string, ...words: string[]) => shop.add(title, ...words);

/** Plans, implements and reviews. */
const agents = {
  x: `case $GZA_STEP in
  plan) echo 'The plan: first this, then that.' ;;
  review) echo 'Looks right.'; verdict APPROVED ;;
  *) echo $GZA_TASK >> $GZA_TASK.txt; echo done ;;
esac`,
};

const chain = async (shop: Workshop) => {
  const one = await add(shop, 'Plan ImageTransform system', '-t', 'plan', '--group', 'tarantino-v2');
  const two = await add(
    shop,
    'Implement ImageTransform',
    '-t',
    'implement',
    '--based-on',
    one,
    '--group',
    'tarantino-v2',
  );
  return { '1': one, '2': two };
};

export const taskChaining: Document = {
  document: 'task-chaining.md',
  blocks: [
    {
      name: 'fields of a task',
      before: async (shop) => ({
        '1': await add(shop, 'Plan'),
      }),
      typed: `
$ gza add "Go on" --group tarantino-v2 --based-on 1 --review --same-branch
task-0002: Go on (after …)
$ gza show task-0002 --json | grep -E '"(group|create_review|same_branch|branch)"'
  "group": "tarantino-v2",
  "branch": null,
  "same_branch": true,
  "create_review": true,
`,
    },
    { name: 'the same in SQL', heldBy: 'the fields above: there is no database' },
    {
      name: 'settings by type',
      config:
        'defaults:\n  model: opus\n  max_turns: 50\ntask_types:\n  plan:\n    max_turns: 30\n  implement:\n    # inherits defaults\n  review:\n    model: sonnet\n    max_turns: 10\n',
      before: async (shop) => ({
        '1': await add(shop, 'P', '-t', 'plan'),
        '2': await add(shop, 'I', '-t', 'implement'),
        '3': await add(shop, 'R', '-t', 'review'),
      }),
      typed: `
$ gza config --explain 1 | grep -E '^(model|max_turns) ' | tr -s ' '
model "opus" gza.yaml defaults
max_turns 30 gza.yaml task_types.plan
$ gza config --explain 2 | grep -E '^(model|max_turns) ' | tr -s ' '
model "opus" gza.yaml defaults
max_turns 50 gza.yaml defaults
$ gza config --explain 3 | grep -E '^(model|max_turns) ' | tr -s ' '
model "sonnet" gza.yaml task_types.review
max_turns 10 gza.yaml task_types.review
`,
    },
    {
      name: 'creating tasks',
      editor: 'A text from the editor',
      before: async (shop) => ({
        '1': await add(shop, 'Plan it', '-t', 'plan'),
        '2': await add(shop, 'Implement it', '-t', 'implement'),
      }),
      typed: `
$ gza add
task-0001: A text from the editor
$ gza add --type plan --group tarantino-v2
task-0002: A text from the editor
$ gza add --type implement --based-on 1 --review
task-0003: A text from the editor (after …)
$ gza add --type implement --based-on 1
task-0004: A text from the editor (after …)
$ gza add --type review --based-on 2
task-0005: A text from the editor (after …)
$ gza add --based-on 1 --same-branch
task-0006: A text from the editor (after …)
`,
    },
    {
      name: 'status of a group, and all groups',
      before: async (shop) => {
        const { '1': one, '2': two } = await chain(shop);
        const three = await add(
          shop,
          'Review ImageTransform impl',
          '-t',
          'review',
          '--based-on',
          two,
          '--group',
          'tarantino-v2',
        );
        for (const title of ['A', 'B']) await add(shop, title, '--group', 'auth-refactor');
        for (const title of ['C', 'D', 'E', 'F', 'G']) await add(shop, title);
        await shop.says(`done ${one}`);
        await shop.says(`claim ${two}`);
        return { '1': one, '2': two, '3': three };
      },
      typed: `
$ gza status tarantino-v2
Group: tarantino-v2
  ✓ 1. Plan ImageTransform system          completed  12/13
  → 2. Implement ImageTransform            in_progress
  ○ 3. Review ImageTransform impl          pending (blocked by #2)
$ gza groups
tarantino-v2      3 tasks (1 pending, 1 in_progress, 1 completed)
auth-refactor     2 tasks (2 pending)
(ungrouped)       5 tasks
`,
    },
    {
      name: 'moving a task between groups',
      before: async (shop) => ({ '5': await add(shop, 'Fix it') }),
      typed: `
$ gza edit 5 --group tarantino-v2
$ gza groups
tarantino-v2  1 task (1 pending)
$ gza edit 5 --group ""
$ gza groups
(ungrouped)  1 task
`,
    },
    {
      name: 'what is next',
      before: async (shop) => {
        const one = await add(shop, 'Design ImageTransform system', '-t', 'plan');
        const two = await add(shop, 'Implement ImageTransform', '-t', 'implement', '--based-on', one);
        const three = await add(shop, 'Fix stats bug');
        const four = await add(shop, 'Review ImageTransform', '-t', 'review', '--based-on', two);
        return { '1': one, '2': two, '3': three, '4': four };
      },
      typed: `
$ gza next
1. [plan] Design ImageTransform system
3. [task] Fix stats bug

(2 tasks blocked by dependencies)
$ gza next --all
1. [plan] Design ImageTransform system
2. [implement] Implement ImageTransform (blocked by #1)
3. [task] Fix stats bug
4. [review] Review ImageTransform (blocked by #2)
`,
    },
    {
      name: 'running tasks',
      agents,
      before: async (shop) => {
        await add(shop, 'First');
        await add(shop, 'Second');
        return { '3': await add(shop, 'Third') };
      },
      typed: `
$ gza work
Running task #task-0001: First
…
✓ Task #task-0001 completed
…
$ gza work 3
Running task #3: Third
…
✓ Task #3 completed
…
`,
    },
    {
      name: 'a task that is blocked',
      before: chain,
      typed: `
$ gza work 2
Error: Task #2 is blocked by task #1 (pending)
…
[exit 3]
`,
      changedBy: ['`work` on a blocked task: 3'],
    },
    { name: 'the next pending task, in Python', heldBy: '`gza next`, above' },
    {
      name: 'a whole day',
      agents,
      editor: 'Design the ImageTransform system per specs/v2-design.md',
      typed: `
$ gza add --type plan --group tarantino-v2
task-0001: Design the ImageTransform system per specs/v2-design.md
$ gza work
…
✓ Task #task-0001 completed
…
$ ls .gza/plans
< 20241213-imagetransform.md
> task-0001.md
$ gza add "Implement ImageTransform per the plan" --type implement --based-on task-0001 --review --group tarantino-v2
task-0002: Implement ImageTransform per the plan (after …)
$ gza work
Running task #task-0002: Implement ImageTransform per the plan
…
✓ Task #task-0002 completed
Running review task #task-0003...
…
✓ Review completed
…
$ git branch --list "gza/*" --format="%(refname:short)"
< 20241213-imagetransform-impl
> gza/task-0002
$ gza status tarantino-v2
Group: tarantino-v2
  ✓ task-0001. Design the ImageTransform system per specs/v2-design.md  completed  12/13
  ✓ task-0002. Implement ImageTransform per the plan  completed  12/13
< ✓ 3. Review ImageTransform impl          completed  APPROVED
>   ✓ task-0003. Review Implement ImageTransform per the plan  completed  APPROVED
`,
      changedBy: [
        ids,
        '`<id>.md`, for cycles `<id>-review-<n>.md`',
        'Branch of a lane: `gza/<id>` by default, a pure function of the task, no date or title',
      ],
    },
  ],
};
