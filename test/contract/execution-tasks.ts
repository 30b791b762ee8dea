import type { Workshop } from '../e2e/workshop.ts';
import type { Document } from './play.ts';

const noDatabase = '`tree`, `where`, `context`, `list` take `--plan`, `--project`, `--branch`';
const noStatusByAgent = 'Assigning alone never makes a task in_progress';
const whole = 'docs/plans/2025-12-24-auth.md';

const plan = `# Authentication

- [ ] Implement authentication
  - [x] Brainstorm design
  - [x] Set up worktree
  - [x] Write implementation plan
  - [ ] Execute plan
    - [x] Task 1: Add user model
    - [ ] Task 2: Add login endpoint
      - [x] Implementation
      - [ ] Spec review
      - [ ] Code quality review
    - [ ] Task 3: Add JWT middleware
  - [ ] Finish branch
`;

/** The tree of the document; its ids by their titles' last words. */
async function planned(shop: Workshop, text = plan): Promise<Record<string, string>> {
  shop.write(whole, text);
  const rows = await shop.json<{ id: string; title: string }[]>(`import ${whole}`);
  const id = (title: string) => rows.find((row) => row.title.startsWith(title))?.id ?? '';
  for (const title of ['Task 1', 'Task 2']) await shop.says(`assign ${id(title)} backend`);
  return {
    '1': id('Task 1'),
    '2': id('Task 2'),
    '3': id('Task 3'),
    '4': id('Spec review'),
    '5': id('Execute plan'),
  };
}

const flat = (shop: Workshop) =>
  planned(
    shop,
    '- [x] Task 1: Add user model\n- [ ] Task 2: Add login endpoint\n  - [x] Implementation\n  - [ ] Spec review\n- [ ] Task 3: Add JWT middleware\n',
  );

export const executionTasks: Document = {
  document: 'execution-tasks.md',
  blocks: [
    {
      name: 'fields',
      before: planned,
      typed: `
$ gza show 4 --json | grep -E '"(parent|plan_file|project|branch|content|assigned_agent|closed_at|created_at)"' | sed 's/task-[0-9a-f]*/x/'
  "assigned_agent": null,
  "parent": "x",
  "branch": null,
  "created_at": "2025-12-24T00:00:00Z",
  "closed_at": null,
  "content": "Spec review",
  "plan_file": "docs/plans/2025-12-24-auth.md",
  "project": null,
`,
    },
    {
      name: 'all tasks of a project and branch',
      before: async (shop) => {
        await shop.add('One', '--project', 'auth');
        await shop.add('Two', '--project', 'auth');
        await shop.add('Three');
      },
      typed: `
$ gza list --project auth --branch main
…One  pending
…Two  pending
`,
      changedBy: [noDatabase],
    },
    {
      name: 'active tasks with their agents',
      before: planned,
      typed: `
$ gza claim 2 --as backend
$ gza agents
backend: … Task 2: Add login endpoint, since …
`,
    },
    {
      name: 'pending tasks',
      before: async (shop) => {
        await shop.says(`assign ${await shop.add('Theirs')} ann`);
        await shop.says(`done ${await shop.add('Over')}`);
        return { '1': await shop.add('Mine') };
      },
      typed: `
$ gza next
1. [task] Mine
…[task] Theirs (assigned to ann)
`,
    },
    {
      name: 'the tree of a plan',
      before: planned,
      typed: `
$ gza tree --plan docs/plans/2025-12-24-auth.md
[ ] Implement authentication (plan: docs/plans/2025-12-24-auth.md)
…
`,
    },
    {
      name: 'the tree, drawn',
      before: planned,
      typed: `
$ gza tree
[ ] Implement authentication (plan: docs/plans/2025-12-24-auth.md)
<     [ ] Brainstorm design
>     [x] Brainstorm design
<     [ ] Set up worktree
>     [x] Set up worktree
<     [ ] Write implementation plan
>     [x] Write implementation plan
    [ ] Execute plan
        [x] Task 1: Add user model (@backend, completed)
        [ ] Task 2: Add login endpoint (@backend, active)
            [x] Implementation
<             [ ] Spec review          <-- current position
>             [ ] Spec review          <-- current position
            [ ] Code quality review
        [ ] Task 3: Add JWT middleware (pending)
    [ ] Finish branch
`,
      changedBy: ['A task with children is not picked; it is completed when all are, in pre-order position'],
    },
    {
      name: 'the current position',
      before: planned,
      typed: `
$ gza where --plan docs/plans/2025-12-24-auth.md
4: Spec review
Implement authentication › Execute plan › Task 2: Add login endpoint › Spec review
`,
    },
    {
      name: 'tasks of a plan',
      before: async (shop) => void shop.write(whole, plan),
      typed: `
$ gza import docs/plans/2025-12-24-auth.md
…
filed 12, 0 known already
`,
    },
    {
      name: 'assigning a task',
      before: planned,
      typed: `
$ gza assign 3 frontend
3: assigned to frontend
$ gza show 3 --json | grep -E '"(assigned_agent|status)"'
  "assigned_agent": "frontend",
  "status": "pending",
`,
      changedBy: [noStatusByAgent],
    },
    {
      name: 'completing a task',
      before: planned,
      typed: `
$ gza done 3
3: done
$ gza show 3 --json | grep -E '"(closed_at|status)"'
  "status": "completed",
  "closed_at": "2025-12-24T00:00:00Z",
`,
    },
    {
      name: 'adding a part',
      before: planned,
      typed: `
$ gza add "Write the migration" --parent 3
task-0099: Write the migration…
$ gza show task-0099 --json | grep -E '"plan_file"'
  "plan_file": "docs/plans/2025-12-24-auth.md",
`,
    },
    { name: 'rendering, in Go', heldBy: 'the context below' },
    {
      name: 'the context',
      before: flat,
      typed: `
$ gza context
## Current Tasks
< - [x] Task 1: Add user model (@backend, completed)
< - [ ] Task 2: Add login endpoint (@backend, in spec review)  <-- current
< - [ ] Task 3: Add JWT middleware (pending)
> - [x] task-0001: Task 1: Add user model (@backend, completed)
> - [ ] task-0002: Task 2: Add login endpoint (@backend, in spec review)
>   - [x] task-0012: Implementation (completed)
>   - [ ] task-0022: Spec review (pending)  <-- current
> - [ ] task-0003: Task 3: Add JWT middleware (pending)
`,
      changedBy: [
        'During a step `git tasks add/done/note/context` … (an agent names tasks by their ids)',
        'execution-tasks.md itself: the current position is the first incomplete leaf task',
      ],
    },
  ],
};
