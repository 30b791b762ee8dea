/** Everything that the specifications show in a terminal, as their decisions changed it, typed and compared. */
import { describe, expect, test } from '@jest/globals';
import { executionTasks } from './execution-tasks.ts';
import { gitTasks } from './git-tasks.ts';
import { play } from './play.ts';
import { reviewImproveLoop } from './review-improve-loop.ts';
import { taskChaining } from './task-chaining.ts';
import { taskLifecycle } from './task-lifecycle.ts';

const documents = [gitTasks, executionTasks, reviewImproveLoop, taskChaining, taskLifecycle];

describe.each(documents)('$document', ({ blocks }) => {
  test.each(blocks.filter(({ typed }) => typed !== undefined))('$name', async (block) => {
    expect(await play(block)).toBe('');
  });
});

/** The fenced blocks of each document, from its top down. */
const fenced: Readonly<Record<string, string>> = {
  'git-tasks.md': `
file a task
file a dependent task
complete a task
ready work
details of a task
review what an agent filed
export for a pull request
edit a task
delete a task
data model
refs
what a pull request shows
plan, loop, review
run
examples
the prompt
how it works inside
an agent that keeps failing
claude, headless
opencode, headless
a command of your own, headless`,
  'execution-tasks.md': `
fields
all tasks of a project and branch
active tasks with their agents
pending tasks
the tree of a plan
the tree, drawn
the current position
tasks of a plan
assigning a task
completing a task
adding a part
rendering, in Go
the context`,
  'review-improve-loop.md': `
step by step
all at once
manual mode
auto mode
flags of the loop
configuration of the loop
fields of the loop
files of reviews
the loop, in Python
the verdict of a review
reading the verdict, in Python
status
going on by hand
forcing approval
a cheaper model for reviews
timeouts
commits of the loop
squashing
a whole day
trying again`,
  'task-chaining.md': `
fields of a task
the same in SQL
settings by type
creating tasks
status of a group, and all groups
moving a task between groups
what is next
running tasks
a task that is blocked
the next pending task, in Python
a whole day`,
  'task-lifecycle.md': `
fields of a task
states
a split by layers
limits
available tasks, in Python
circles, in Python
the loop, drawn
the worker
independent tasks, in Python
milestones
settings of Linear
the state, in Python
progress`,
};

test('no block is left out: each is played, or says what holds it', () => {
  const found = documents.map(({ document, blocks }) => {
    // The lines of one block may be typed one by one: `examples: git tasks run --claude`.
    return [document, `\n${[...new Set(blocks.map(({ name }) => name.split(': ')[0]))].join('\n')}`];
  });
  expect(Object.fromEntries(found)).toEqual(fenced);
  const said = documents.flatMap(({ blocks }) => blocks).filter(({ typed, heldBy }) => !typed === !heldBy);
  expect(said).toEqual([]);
});

test('a difference from a specification names the decision that explains it', () => {
  const unexplained = documents.flatMap(({ blocks }) =>
    blocks.filter(({ typed = '', changedBy }) => /^[<>] /m.test(typed) && changedBy === undefined),
  );
  expect(unexplained.map(({ name }) => name)).toEqual([]);
});
