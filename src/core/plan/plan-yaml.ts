/** Tasks that a planner wrote down as such: fenced `yaml` blocks with `tasks:`, read like a task file. */
import { GzaError } from '../errors.ts';
import { readMarkdown } from '../markdown/markdown-lines.ts';
import { parseTaskFile } from '../task/parse-task-file.ts';
import type { Milestone, Task } from '../task/task.ts';
import { type Problem, printProblems } from '../yaml/problem.ts';

export function parseTaskBlocks(
  file: string,
  markdown: string,
): { tasks: Task[]; milestones: Milestone[] } | null {
  const blocks = readMarkdown(markdown).blocks.filter(
    ({ info, text }) => /^ya?ml\b/i.test(info.trim()) && (isMap(text) || isList(text)),
  );
  if (blocks.length === 0) return null;
  const tasks: Task[] = [];
  const milestones: Milestone[] = [];
  const problems: Problem[] = [];
  for (const { text, line } of blocks) {
    const listed = isList(text);
    const read = parseTaskFile(file, listed ? `tasks:\n${text}` : text);
    const offset = line - (listed ? 1 : 0);
    problems.push(...read.problems.map((problem) => ({ ...problem, line: problem.line + offset })));
    tasks.push(...read.tasks.map(({ task, defaults }) => ({ ...defaults, ...task })));
    milestones.push(...read.milestones);
  }
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return { tasks, milestones };
  throw new GzaError('input', `the tasks in ${file} are not right:\n${printProblems(errors, 20)}`, {
    hint: 'Nothing was written. Mend the block and run it again.',
  });
}

function isMap(text: string): boolean {
  return /^tasks\s*:/m.test(text);
}

/** `- id: a` with a title or prompt: other lists in a plan are examples of something else. */
function isList(text: string): boolean {
  return (
    /^\s*- /.test(text.replace(/^(?:\s*#.*\n)+/, '')) && /^[ \t]*(?:- )?(?:title|prompt)[ \t]*:/m.test(text)
  );
}
