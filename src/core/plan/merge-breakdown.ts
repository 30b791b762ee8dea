/**
 * Writes a breakdown again. Updates tasks that the plan changed, unless someone began or edited them, and
 * reports why the others stay. Each task has a mark, `# plan 1a2b3c4d`: a hash of its text as it came from
 * the plan, which shows whether a person edited it.
 */

import { fnv1a64 } from '../review/same-finding.ts';
import { addTasksText } from '../spool/add-tasks-text.ts';
import { editTaskText, removeTaskText } from '../task/edit-task-text.ts';
import { parseTaskFile } from '../task/parse-task-file.ts';
import type { Milestone, Task } from '../task/task.ts';
import { taskFields, taskFileText } from '../task/task-file-text.ts';

export interface MergeInput {
  readonly file: string;
  /** The current text of the file; null for a new file. */
  readonly text: string | null;
  readonly about: readonly string[];
  readonly shared: Readonly<Record<string, unknown>>;
  readonly tasks: readonly Task[];
  readonly milestones: readonly Milestone[];
  /** Whether the task is claimed, begun or closed, so that its definition must not change. */
  readonly hasBegun: (id: string) => boolean;
  /** Whether a task outside this file depends on it. */
  readonly isWanted: (id: string) => boolean;
}

export interface Merged {
  readonly text: string;
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly removed: readonly string[];
  readonly same: readonly string[];
  readonly left: readonly { readonly id: string; readonly why: string }[];
}

export function mergeBreakdown(input: MergeInput): Merged {
  const fresh = taskFileText(input);
  const wanted = readTasks(input.file, fresh);
  if (input.text === null) {
    const added = [...wanted.keys()];
    return { text: markAll(fresh, wanted, added), added, updated: [], removed: [], same: [], left: [] };
  }
  return new Merging(input, input.text, wanted).run();
}

class Merging {
  readonly #input: MergeInput;
  readonly #wanted: ReadonlyMap<string, Task>;
  readonly #current: ReadonlyMap<string, Task>;
  readonly #marks: ReadonlyMap<string, string>;
  /** Split tasks of which any part has begun. A split task and its parts only change together. */
  readonly #frozen: ReadonlySet<string>;
  #text: string;

  constructor(input: MergeInput, text: string, wanted: ReadonlyMap<string, Task>) {
    this.#input = input;
    this.#wanted = wanted;
    this.#text = text;
    this.#current = readTasks(input.file, text);
    this.#marks = marksIn(text);
    const begun = [...this.#current].filter(([id]) => input.hasBegun(id));
    this.#frozen = new Set(begun.map(([id, { parent }]) => parent ?? id));
  }

  run(): Merged {
    const { file, tasks, milestones, shared } = this.#input;
    const updated: string[] = [];
    const removed: string[] = [];
    const same: string[] = [];
    const left: { id: string; why: string }[] = [];
    for (const [id, now] of this.#current) {
      const then = this.#wanted.get(id);
      if (!then && !this.#marks.has(id)) continue;
      if (then && print(now) === print(then)) {
        same.push(id);
        continue;
      }
      const why = this.#whyFixed(id, now) ?? (then ? null : this.#whyNeeded(id));
      if (why !== null) left.push({ id, why });
      else if (then) {
        this.#update(id, now, then);
        updated.push(id);
      } else {
        this.#text = removeTaskText(file, this.#text, id) ?? this.#text;
        removed.push(id);
      }
    }
    // An existing file may have other shared fields or none, so new tasks carry them themselves.
    const fresh = tasks
      .filter(({ id }) => !this.#current.has(id) && !this.#isKept(id))
      .map((task): Task => ({ ...shared, ...task }));
    const added = fresh.map(({ id }) => id);
    const text = addTasksText(file, this.#text, fresh, milestones);
    return { text: markAll(text, this.#wanted, [...added, ...updated]), added, updated, removed, same, left };
  }

  #family(id: string): string {
    return this.#current.get(id)?.parent ?? this.#wanted.get(id)?.parent ?? id;
  }

  #isKept(id: string): boolean {
    const family = this.#family(id);
    return family !== id && this.#frozen.has(family);
  }

  #whyNeeded(id: string): string | null {
    const waits = this.#waitsHere(id, new Set());
    if (waits !== null) return `the plan has it no more, but ${waits} waits for it`;
    return this.#input.isWanted(id) ? 'the plan has it no more, but another task waits for it' : null;
  }

  /** A task of this file that must stay, and that depends on a task that the plan no longer has. */
  #waitsHere(id: string, seen: Set<string>): string | null {
    seen.add(id);
    for (const [other, now] of this.#current) {
      if (seen.has(other) || !now.depends_on?.includes(id)) continue;
      const isFixed = this.#whyFixed(other, now) !== null;
      const isKept = !this.#wanted.has(other) && this.#waitsHere(other, seen) !== null;
      if (isFixed || isKept) return other;
    }
    return null;
  }

  #whyFixed(id: string, now: Task): string | null {
    if (this.#input.hasBegun(id)) return 'it has begun';
    if (this.#isKept(id)) return `another part of ${this.#family(id)} has begun`;
    if (this.#frozen.has(id)) return 'one of its parts has begun';
    const mark = this.#marks.get(id);
    if (mark === undefined) return 'it was written by hand';
    return mark === markOf(now) ? null : 'it was edited by hand';
  }

  #update(id: string, now: Task, then: Task): void {
    const [before, after] = [taskFields(now), taskFields(then)];
    const changes: Record<string, unknown> = {};
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (name in this.#input.shared || name === 'id') continue;
      if (JSON.stringify(before[name]) !== JSON.stringify(after[name])) changes[name] = after[name] ?? null;
    }
    this.#text = editTaskText(this.#input.file, this.#text, id, changes);
  }
}

function readTasks(file: string, text: string): ReadonlyMap<string, Task> {
  return new Map(parseTaskFile(file, text).tasks.map(({ task }) => [task.id, task]));
}

function print(task: Task): string {
  const fields = Object.entries(task).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(fields);
}

function markOf(task: Task): string {
  return fnv1a64(print(task)).slice(0, 8);
}

const idLine = /^([ \t]*- id: ["']?([\w.-]+)["']?)(?: +# plan ([0-9a-f]{8}))?( *)$/gm;

function marksIn(text: string): Map<string, string> {
  const marks = new Map<string, string>();
  for (const [, , id = '', mark] of text.matchAll(idLine)) if (mark) marks.set(id, mark);
  return marks;
}

function markAll(text: string, tasks: ReadonlyMap<string, Task>, ids: readonly string[]): string {
  const marked = new Set(ids);
  return text.replaceAll(idLine, (line, head: string, id: string) => {
    const task = tasks.get(id);
    return task && marked.has(id) ? `${head} # plan ${markOf(task)}` : line;
  });
}
