import type { Workshop } from '../e2e/workshop.ts';
import type { Document } from './play.ts';

const plain =
  '`git commit --prompt` and `git log --tasks` cannot exist in plain git: the `Task:` trailer and `gza log` stand for them';
const noModel = 'Models are per agent …; nothing built in';
const prompt =
  '`git tasks run` (= `gza run`) is the git-tasks runner: here, on the current branch, all ready tasks, never pushing, spec’s flags and defaults';

const refactor = (shop: Workshop) => shop.add('Refactor auth middleware to use JWT');

/** Commits and marks its task done; what it was called with is left in a file. */
const works =
  'printf "%s\\n" "$@" > "$D/called"; git commit -q --allow-empty -m Work; git tasks done $GZA_TASK';
const runners = {
  claude: `[ "$1" = --version ] && { echo '2.1.0 (Claude Code)'; exit; }\n${works}\necho '${JSON.stringify({ type: 'result', subtype: 'success', is_error: false, result: 'done', session_id: 's', num_turns: 1 })}'`,
  opencode: `[ "$1" = --version ] && { echo 1.1.0; exit; }\n${works}\necho '${JSON.stringify({ type: 'step_finish', sessionID: 's', part: { id: 'p', reason: 'stop', cost: 0, tokens: {} } })}'`,
  aider: works,
  goose: works,
};

const oneTask = async (shop: Workshop) => ({ 'task-a3f8': await refactor(shop) });
const threeTasks = async (shop: Workshop) => {
  const first = await oneTask(shop);
  await shop.add('Second');
  await shop.add('Third');
  return first;
};

export const gitTasks: Document = {
  document: 'git-tasks.md',
  blocks: [
    {
      name: 'file a task',
      typed: `
$ git tasks add "Refactor auth middleware to use JWT"
task-a3f8: Refactor auth middleware to use JWT
`,
    },
    {
      name: 'file a dependent task',
      before: oneTask,
      typed: `
$ git tasks add "Write tests for JWT auth" --after task-a3f8
task-b4c9: Write tests for JWT auth (after task-a3f8)
`,
    },
    {
      name: 'complete a task',
      before: oneTask,
      typed: `
$ git tasks done task-a3f8
task-a3f8: done
< $ git commit -m "Implement JWT auth" --prompt "..."
> $ git commit -q --allow-empty -m "Implement JWT auth"
$ git tasks show task-a3f8 --json | grep -o '"closed_commit": "[0-9a-f]*"'
"closed_commit": "abc1234"
`,
      changedBy: [plain],
    },
    {
      name: 'ready work',
      before: async (shop) => {
        const first = await refactor(shop);
        const b4c9 = await shop.add('Add input validation to /api/users endpoint');
        const c5d0 = await shop.add('Write tests', '--after', first);
        await shop.says(`claim ${first}`);
        return { 'task-a3f8': first, 'task-b4c9': b4c9, 'task-c5d0': c5d0 };
      },
      typed: `
$ git tasks ready
task-b4c9: Add input validation to /api/users endpoint
(task-c5d0 blocked by task-a3f8)
`,
    },
    {
      name: 'details of a task',
      before: async (shop) => {
        const ids = await oneTask(shop);
        await shop.says(`done ${ids['task-a3f8']}`);
        shop.commit('Implement JWT auth');
        return ids;
      },
      typed: `
$ git tasks show task-a3f8
task-a3f8: Refactor auth middleware to use JWT
status: done
created: 2025-01-02T10:30:00Z
closed: 2025-01-02T11:45:00Z
commit: abc1234
`,
    },
    {
      name: 'review what an agent filed',
      before: async (shop) => {
        const ids = await oneTask(shop);
        await shop.says(`done ${ids['task-a3f8']}`);
      },
      typed: `
$ git tasks list --all
…Refactor auth middleware to use JWT  completed  01/02
`,
    },
    {
      name: 'export for a pull request',
      before: oneTask,
      typed: `
$ git tasks pr
## Tasks

- [ ] task-a3f8: Refactor auth middleware to use JWT
`,
    },
    {
      name: 'edit a task',
      before: oneTask,
      typed: `
$ git tasks edit task-a3f8 --content "Refactor auth to use JWT (not sessions)"
task-a3f8: Refactor auth to use JWT (not sessions) (edited)
`,
    },
    { name: 'delete a task', before: oneTask, typed: '$ git tasks delete task-a3f8\ntask-a3f8: deleted' },
    {
      name: 'data model',
      before: async (shop) => {
        const add = ['add', 'Refactor auth middleware to use JWT'];
        const { stdout } = await shop.gza(add, { env: { ZAGI_AGENT: 'claude-code' } });
        return { 'task-a3f8': stdout.split(':')[0] as string };
      },
      typed: `
$ git tasks show task-a3f8 --json | node -pe 'const { id, content, status, created_at, created_by, after, closed_at, closed_commit, notes } = JSON.parse(require("fs").readFileSync(0)); JSON.stringify({ id, content, status, created_at, created_by, after, closed_at, closed_commit, notes })'
{"id":"task-a3f8","content":"Refactor auth middleware to use JWT","status":"pending","created_at":"2025-01-02T10:30:00Z","created_by":"claude-code","after":null,"closed_at":null,"closed_commit":null,"notes":[]}
`,
    },
    {
      name: 'refs',
      before: async (shop) => {
        await refactor(shop);
        shop.git('switch', '-q', '-c', 'feature');
        await shop.add('On a branch');
      },
      typed: `
$ git for-each-ref --format="%(refname)" refs/tasks
refs/tasks/feature
refs/tasks/main
$ git ls-tree -r --name-only refs/tasks/feature
ledger.json
tasks.jsonl
$ git status --porcelain
$ git push -q . "refs/tasks/*:refs/pushed/*"
`,
    },
    {
      name: 'what a pull request shows',
      before: async (shop) => {
        const [a3f8, b4c9] = [await refactor(shop), await shop.add('Add input validation')];
        const c5d0 = await shop.add('Write tests for auth middleware', '--after', b4c9);
        for (const id of [a3f8, b4c9]) {
          await shop.says(`done ${id}`);
          shop.commit('Work');
        }
        return { 'task-a3f8': a3f8, 'task-b4c9': b4c9, 'task-c5d0': c5d0 };
      },
      typed: `
$ git tasks pr
## Tasks

- [x] task-a3f8: Refactor auth middleware to use JWT (abc1234)
- [x] task-b4c9: Add input validation (def5678)
- [ ] task-c5d0: Write tests for auth middleware

### Dependency Graph
< task-b4c9 → task-c5d0 (blocked)
> task-b4c9 → task-c5d0
`,
      changedBy: ['When a dependency is satisfied: completed'],
    },
    { name: 'plan, loop, review', heldBy: 'a picture of the blocks around it' },
    {
      name: 'run',
      programs: runners,
      before: oneTask,
      typed: `
$ git tasks run
Running task #task-a3f8: Refactor auth middleware to use JWT
✓ Task #task-a3f8 completed
All tasks complete!
Run: git tasks pr
`,
    },
    ...[
      'git tasks run',
      'git tasks run --claude',
      'git tasks run --claude --model claude-opus-4-20250514',
      'git tasks run --claude --model claude-sonnet-4-20250514',
      'git tasks run --opencode',
      'git tasks run --opencode --model anthropic/claude-sonnet-4',
      'git tasks run --opencode --model openai/gpt-4o',
      'git tasks run --runner "aider --yes"',
      'git tasks run --runner "goose run"',
      'git tasks run --once              # Run one task, then exit',
      'git tasks run --dry-run           # Show what would run',
      'git tasks run --max-tasks 5       # Stop after 5 tasks',
      'git tasks run --delay 5           # 5 second delay between tasks',
    ].map((command) => ({
      name: `examples: ${command}`,
      programs: runners,
      before: oneTask,
      typed: command.includes('--dry-run')
        ? `$ ${command}\nwould run task-a3f8: Refactor auth middleware to use JWT\n`
        : `$ ${command}\nRunning task #task-a3f8: Refactor auth middleware to use JWT\n…\nRun: git tasks pr\n`,
    })),
    {
      name: 'the prompt',
      programs: runners,
      before: oneTask,
      typed: `
$ git tasks run --runner aider > /dev/null
$ grep -vxF '\`\`\`' "$TMPDIR/called"
You are working on task task-a3f8: Refactor auth middleware to use JWT
…
< Instructions:
> ## Instructions
…
1. Read AGENTS.md for project context.
2. Complete this ONE task only.
3. Verify your work…
< 4. Commit your changes with: git commit -m "<message>" --prompt "{task_content}"
> 4. Commit your changes: \`git commit -m "<message>" --trailer "Task: task-a3f8"\`
5. Mark the task done: \`git tasks done task-a3f8\`
6. If you learn critical operational details, update AGENTS.md.
…
< Rules:
> ## Rules
…
- NEVER run \`git push\`: only commit.
- ONLY work on this one task.
…
- If you cannot go on without a person: \`git tasks note task-a3f8 "blocked: …
…
`,
      changedBy: [plain, prompt],
    },
    {
      name: 'how it works inside',
      programs: runners,
      before: threeTasks,
      typed: `
$ git tasks run --delay 0
…
All tasks complete!
Run: git tasks pr
$ git tasks list
No tasks match.
`,
    },
    {
      name: 'an agent that keeps failing',
      programs: { fails: 'exit 1' },
      before: oneTask,
      typed: `
$ git tasks run --delay 0 --runner fails
…
– Task #task-a3f8 skipped: agent failed 3 times
…
[exit 1]
$ git tasks show task-a3f8
…
status: pending
…
- skipped: agent failed 3 times
`,
    },
    {
      name: 'claude, headless',
      programs: runners,
      before: oneTask,
      typed: `
$ git tasks run --model claude-opus-4 > /dev/null
$ tr '\\n' ' ' < "$TMPDIR/called"
< claude --print --model "$MODEL" "$PROMPT"
> -p …--model claude-opus-4 …You are working on task task-a3f8: …
`,
      changedBy: [noModel],
    },
    {
      name: 'opencode, headless',
      programs: runners,
      before: oneTask,
      typed: `
$ git tasks run --opencode --model openai/gpt-4o > /dev/null
$ tr '\\n' ' ' < "$TMPDIR/called"
run …-m openai/gpt-4o …You are working on task task-a3f8: …
`,
    },
    {
      name: 'a command of your own, headless',
      programs: { ...runners, counts: 'echo "$#" > "$D/called"; git tasks done $GZA_TASK' },
      before: oneTask,
      typed: `
$ git tasks run --runner "counts --yes" > /dev/null
$ cat "$TMPDIR/called"
2
`,
    },
  ],
};
