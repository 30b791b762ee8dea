import type { Document } from './play.ts';

const limits = 'limits are the table’s 5/8/7 (both key names work); auto_split off unless set';
const summary =
  '`summary --json`: `{tasks:{total,completed,pending,in_progress,failed,progress}, milestones, current_task_id, current_task_ids, completed_task_ids, failed_task_ids, in_flight_task_ids}`';
const clone =
  'It works in a clone of its own: `gza work` makes a branch for each task, and cherry-picks nothing';

const works = { x: 'mkdir -p src; echo $GZA_TASK >> src/model.ts; echo done' };
const three = `tasks:
  - { id: T1, title: Add the model, files_to_create: [src/model.ts] }
  - { id: T2, title: Use the model, files_to_modify: [src/model.ts] }
  - { id: T3, title: Say so, dependencies: [T2] }
`;

/** A value of JSON that is printed, as one line. */
const field = (expression: string) =>
  `node -pe 'const it = JSON.parse(require("fs").readFileSync(0)); JSON.stringify(${expression})'`;

export const taskLifecycle: Document = {
  document: 'task-lifecycle.md',
  blocks: [
    {
      name: 'fields of a task',
      tasks: `tasks:
  - id: T1
    title: Add the model
    user_story: As a user I want a model so that there is data
    acceptance_criteria: [it is stored]
    files_to_create: [src/model.ts]
    test_files: [test/model.test.ts]
    milestone_id: M1
    priority: high
    estimated_complexity: medium
  - { id: T2-a, title: Of a split, dependencies: [T1] }
`,
      typed: `
$ gza check
2 tasks in files, 0 errors, 0 warnings: all good
$ gza show T1 --json | ${field('[it.id, it.title, it.user_story, it.acceptance_criteria, it.files_to_create, it.files_to_modify, it.test_files, it.dependencies, it.milestone_id, it.status, it.priority, it.estimated_complexity, it.attempts, it.max_attempts, it.implementation_notes, it.error, it.linear_issue_id]')}
["T1","Add the model","As a user I want a model so that there is data",["it is stored"],["src/model.ts"],[],["test/model.test.ts"],[],"M1","pending","high","medium",0,3,null,null,null]
`,
    },
    {
      name: 'states',
      tasks: three,
      agents: { x: 'case $GZA_TASK in T1) exit 1 ;; esac' },
      config: 'defaults: { agents: [x], max_attempts: 2 }\n',
      typed: `
$ gza list --json | ${field('it.map((one) => [one.id, one.status])')}
[["T1","pending"],["T2","blocked"],["T3","blocked"]]
$ gza work T1
…
✗ Task #T1 failed: 2 attempts failed; …
…
[exit 1]
$ gza show T1 --json | ${field('[it.status, it.attempts]')}
["failed",2]
$ gza escalations
T1: …
…
$ gza retry T1
T1: will be tried again
$ gza claim T1
$ gza show T1 --json | ${field('it.status')}
"in_progress"
$ gza release T1
$ gza done T1
T1: done
$ gza show T1 --json | ${field('it.status')}
"completed"
`,
    },
    {
      name: 'a split by layers',
      tasks: `tasks:
  - id: T1
    title: Add accounts end to end with an async algorithm
    acceptance_criteria: [src/data/account.ts stores it, src/services/account.ts checks it, src/data/index.ts exports it, src/ui/account.tsx shows it]
    files_to_create: [src/data/account.ts, src/data/index.ts, src/services/account.ts, src/services/rules.ts, src/ui/account.tsx, src/ui/form.tsx]
`,
      typed: `
< Original Task T1 (complexity: 8.5 - HIGH):
<   file_scope: 3.0, cross_file_deps: 2.0, semantic: 2.5, uncertainty: 1.0
$ gza score T1
> T1: Add accounts end to end with an async algorithm
> 7.0 of 13 MEDIUM: requires monitoring
>   file_scope  3.0 of 5  6 files: …
>   cross_file_deps  2.0 of 2  …
>   semantic_complexity  2.0 of 3  …
>   requirement_uncertainty  0.0 of 2
>   token_penalty  0.0 of 1
<   Strategy selected: LAYERS (dominant: cross_file_deps)
>   largest share: cross_file_deps
> …
< After Split:
<   T1-a: data layer files, criteria=[C1, C3], deps=[]
<   T1-b: business layer files, criteria=[C2], deps=[T1-a]
<   T1-c: presentation layer files, criteria=[C4], deps=[T1-b]
$ gza split T1
> #T1 is split by layers into 3:
>   #T1-a  3.0  Add accounts end to end with an async algorithm (data layer) (2 files, 2 criteria)
>   #T1-b  3.0  Add accounts end to end with an async algorithm (business layer) (2 files, 1 criterion, after #T1-a)
>   #T1-c  3.0  Add accounts end to end with an async algorithm (presentation layer) (2 files, 1 criterion, after #T1-b)
> Nothing is written yet: gza split T1 --write
`,
      changedBy: [
        'Scores: LOW < 5, MEDIUM < 8, HIGH < 11, else CRITICAL; the dominant factor is the largest share of its maximum',
      ],
    },
    {
      name: 'limits',
      before: async (shop) =>
        void shop.write(
          '.project-config.json',
          JSON.stringify({
            task_size_limits: {
              max_files_to_create: 5,
              max_files_to_modify: 8,
              max_criteria_per_task: 7,
              max_input_tokens: 6000,
              max_time_minutes: 5,
              complexity_threshold: 5.0,
              auto_split: true,
            },
          }),
        ),
      typed: `
$ gza config --json | ${field('it.task_size_limits')}
< {"max_files_to_create":5,"max_files_to_modify":8,"max_criteria_per_task":7,"max_input_tokens":6000,"max_time_minutes":5,"complexity_threshold":5,"auto_split":true}
> {"max_files_to_create":5,"max_files_to_modify":8,"max_acceptance_criteria":7,"max_input_tokens":6000,"max_time_minutes":5,"complexity_threshold":5,"auto_split":true}
`,
      changedBy: [limits],
    },
    {
      name: 'available tasks, in Python',
      tasks: three,
      typed: `
$ gza ready
T1: Add the model
(T2 blocked by T1)
(T3 blocked by T2)
$ gza done T1
$ gza ready
T2: Use the model
(T3 blocked by T2)
`,
    },
    {
      name: 'circles, in Python',
      tasks:
        'tasks:\n  - { id: T1, title: One, dependencies: [T2] }\n  - { id: T2, title: Two, dependencies: [T1] }\n',
      typed: `
$ gza check
tasks/all.yml:2:5: T1 depends on itself in a circle: T1 → T2 → T1
tasks/all.yml:3:5: T2 depends on itself in a circle: T1 → T2 → T1
2 tasks in files, 2 errors, 0 warnings
[exit 2]
$ gza escalations
T1: One (invalid)
…
T2: Two (invalid)
…
`,
    },
    {
      name: 'the loop, drawn',
      tasks: three,
      agents: works,
      typed: `
$ gza work --all
Running task #T1: Add the model
…
Running task #T2: Use the model
…
Running task #T3: Say so
…
✓ Task #T3 completed
…
`,
    },
    {
      name: 'the worker',
      tasks:
        'tasks:\n  - { id: T1, title: Add the model, acceptance_criteria: [it is stored], files_to_create: [src/model.ts], test_files: [test/model.test.ts] }\n',
      programs: {
        claude: `[ "$1" = --version ] && { echo '2.1.0 (Claude Code)'; exit; }\nprintf '%s ' "$@" > "$D/called"; cat > "$D/prompt"; echo x > a.txt\necho '{"type":"result","subtype":"success","is_error":false,"result":"done","session_id":"s","num_turns":1}'`,
      },
      typed: `
$ ANTHROPIC_API_KEY=sk-test gza work T1 --claude > /dev/null; cat "$TMPDIR/called"
< claude -p "<scoped-prompt>" --output-format json
> -p --output-format stream-json …
$ grep -oE 'it is stored|src/model.ts|test/model.test.ts' "$TMPDIR/prompt" | sort -u
it is stored
src/model.ts
test/model.test.ts
`,
      changedBy: [
        'The agent’s output is read as it comes, so that limits, cost and questions are seen at once',
      ],
    },
    {
      name: 'independent tasks, in Python',
      tasks: `tasks:
  - { id: T1, title: One, files_to_modify: [src/a.ts] }
  - { id: T2, title: Two, files_to_modify: [src/a.ts] }
  - { id: T3, title: Three, files_to_modify: [src/b.ts] }
`,
      agents: works,
      config: 'parallel_workers: 3\n',
      typed: `
$ gza work --all --dry-run
would run implement: T1 One (with x)
would run implement: T3 Three (with x)
(1 wait)
`,
      changedBy: [clone],
    },
    {
      name: 'milestones',
      config: 'milestones:\n  - { id: M1, name: Core Features, description: What must be there }\n',
      tasks:
        'tasks:\n  - { id: T1, title: One, milestone_id: M1 }\n  - { id: T2, title: Two, milestone_id: M1 }\n',
      typed: `
$ gza milestones --json | ${field('it.map(({ id, name, description, task_ids, status }) => ({ id, name, description, task_ids, status }))')}
[{"id":"M1","name":"Core Features","description":"What must be there","task_ids":["T1","T2"],"status":"pending"}]
`,
    },
    {
      name: 'settings of Linear',
      config: 'integrations:\n  linear:\n    enabled: true\n    team_id: TEAM123\n    create_project: true\n',
      typed: `
$ gza check
0 tasks in files, 0 errors, 0 warnings: all good
`,
    },
    {
      name: 'the state, in Python',
      tasks: three,
      typed: `
$ gza claim T1
$ gza summary --json | ${field('[it.tasks, it.current_task_id, it.current_task_ids, it.completed_task_ids, it.failed_task_ids, it.in_flight_task_ids]')}
[{"total":3,"completed":0,…"in_progress":1,…"progress":"0%"},"T1",["T1"],[],[],["T1"]]
`,
      changedBy: [summary],
    },
    {
      name: 'progress',
      tasks: three,
      typed: `
$ gza done T1
$ gza summary --json | ${field('it.tasks')}
{"total":3,"completed":1,…"progress":"33%"}
`,
      changedBy: [summary],
    },
  ],
};
