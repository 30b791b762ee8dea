/** Parses the text of a file in `tasks/` into tasks and problems. Pure: the caller reads the file. */
import { isMap, type Node, type Pair } from 'yaml';
import type { ZodType } from 'zod';
import { type Problem, shown } from '../yaml/problem.ts';
import { readYaml, type YamlFile } from '../yaml/read-yaml.ts';
import { lazyShapeOf, type ProblemSource, problemAt, validPart } from '../yaml/schema-problem.ts';
import { findNode, keyText, type Shape, yamlValue } from '../yaml/yaml-value.ts';
import {
  branchNameFault,
  type FileTask,
  idFrom,
  type Milestone,
  type TaskFileRead,
  type TaskSettings,
  taskIdPattern,
} from './task.ts';
import {
  fieldsOf,
  headerSchema,
  manyTasksSchema,
  type SharedFields,
  stateFields,
  type TaskInput,
  taskOf,
  taskSchema,
  taskSynonyms,
} from './task-schema.ts';

type Path = readonly PropertyKey[];

const shapes = { one: lazyShapeOf(taskSchema), many: lazyShapeOf(manyTasksSchema) };

export function parseTaskFile(file: string, text: string): TaskFileRead {
  const yaml = readYaml(file, text);
  if (!yaml.root) return nothing(yaml);
  const isMany = isMap(yaml.root) && yaml.root.has('tasks');
  const shape = isMany ? shapes.many : shapes.one;
  const { value, problems } = yamlValue(yaml, yaml.root, shape);
  const reading = new TaskFileReading(yaml, shape, [...problems]);
  if (isMap(yaml.root)) reading.read(value as Record<string, unknown>, isMany);
  else
    reading.refuse(
      yaml.root,
      'the file is not a task',
      'fields of one task (title: …), or `tasks:` and a list',
    );
  return reading.result();
}

/** Warns that the file holds no task, unless YAML errors already explain that. */
function nothing(yaml: YamlFile): TaskFileRead {
  const empty: Problem = {
    ...problemAt(yaml, null),
    message: 'the file holds no task',
    expected: 'fields of one task, or `tasks:` and a list',
    example: 'title: Add a login page',
    severity: 'warning',
  };
  return { tasks: [], milestones: [], problems: yaml.problems.length > 0 ? yaml.problems : [empty] };
}

class TaskFileReading {
  readonly #tasks: FileTask[] = [];
  readonly #milestones = new Map<string, Milestone>();
  readonly #problems: Problem[];
  readonly #yaml: YamlFile;
  readonly #source: ProblemSource;
  /** Line ranges of the tasks; `id` is null if a task has no usable one. */
  readonly #ranges: { from: number; to: number; id: string | null }[] = [];

  constructor(yaml: YamlFile, shape: Shape, problems: Problem[]) {
    this.#yaml = yaml;
    this.#problems = problems;
    this.#source = {
      yaml,
      shape,
      nameOf: (path) =>
        path.includes('milestone') ? 'a milestone' : path.at(-1) === 'defaults' ? 'defaults' : 'a task',
      teach,
    };
  }

  result(): TaskFileRead {
    return { tasks: this.#tasks, milestones: [...this.#milestones.values()], problems: this.#sorted() };
  }

  /**
   * A YAML syntax error makes every task of the file doubtful; any other problem belongs to the task at its
   * line.
   */
  #sorted(): Problem[] {
    const syntax = this.#yaml.problems.map((problem) => ({ ...problem, wholeFile: true as const }));
    const broken = new Set(syntax.map(({ line }) => line));
    const others = this.#problems.filter(({ line }) => !broken.has(line));
    const placed = others.map((problem) => {
      if (problem.task !== undefined || problem.wholeFile) return problem;
      const owner = this.#ranges.find(({ from, to }) => problem.line >= from && problem.line <= to);
      return owner
        ? owner.id === null
          ? problem
          : { ...problem, task: owner.id }
        : { ...problem, wholeFile: true as const };
    });
    return [...syntax, ...placed];
  }

  read(value: Record<string, unknown>, isMany: boolean): void {
    if (!isMany) return this.#readTask(value, [], null);
    const { tasks, ...header } = value;
    const parsed = this.#header(header);
    const items = Array.isArray(tasks) ? tasks : [];
    if (items.length === 0)
      this.refuse(findNode(this.#yaml.root, ['tasks']).node, '`tasks` holds no task', 'a list of tasks');
    for (const [index, item] of items.entries()) {
      const path = ['tasks', index];
      if (isRecord(item)) this.#readTask(item, path, parsed);
      else {
        const { node } = findNode(this.#yaml.root, path);
        this.refuse(node, 'this is not a task', 'fields of a task (id: …, title: …)');
        this.#own(node, null);
      }
    }
  }

  refuse(node: Node | null, message: string, expected: string): void {
    this.#problems.push({ ...problemAt(this.#yaml, node), message, expected });
  }

  /** Reads what all tasks of the file share. */
  #header(header: Record<string, unknown>): SharedFields {
    const valid = this.#valid(headerSchema, header, []);
    const { defaults, ...shared } = valid;
    const given = (defaults ?? {}) as TaskInput;
    this.#collect(shared);
    this.#collect(given);
    const split = fieldsOf(given);
    const lines: Record<string, number> = {};
    this.#lines(findNode(this.#yaml.root, ['defaults']).node, 'defaults.', lines);
    this.#lines(this.#yaml.root, '', lines);
    return { own: { ...split.own, ...fieldsOf(shared).own }, settings: split.settings, lines };
  }

  #readTask(value: Record<string, unknown>, path: Path, shared: SharedFields | null): void {
    const before = this.#problems.length;
    const valid: TaskInput = this.#valid(taskSchema, value, path);
    const id = this.#id(value, valid, path);
    const { node } = findNode(this.#yaml.root, path);
    if (id !== null) {
      this.#collect(valid);
      const problem = (message: string, field: string, expected?: string) =>
        this.#fieldProblem([...path, field], message, expected);
      const task = taskOf(id, valid, shared?.own ?? {}, problem);
      const isSilent = !['title', 'prompt', 'content'].some((field) => field in value);
      if (isSilent && this.#problems.length === before) {
        problem('the task does not say what to do', 'id', '`title`, or `prompt`, or both');
      }
      this.#checkBranch(task.branch, path);
      const lines: Record<string, number> = { ...shared?.lines };
      this.#lines(node, '', lines);
      this.#tasks.push({
        task,
        defaults: shared?.settings ?? noSettings,
        file: this.#yaml.file,
        ...this.#yaml.place(node?.range?.[0] ?? 0),
        order: this.#tasks.length,
        lines,
      });
    }
    if (path.length > 0) this.#own(node, id);
    else this.#ranges.push({ from: 1, to: Number.MAX_SAFE_INTEGER, id });
  }

  #own(node: Node | null, id: string | null): void {
    const [start, end] = node?.range ?? [0, 0];
    const from = this.#yaml.place(start).line;
    this.#ranges.push({ from, to: this.#yaml.place(Math.max(start, end - 1)).line, id });
  }

  #valid<T extends object>(schema: ZodType<T>, value: Record<string, unknown>, path: Path): T {
    const { valid, problems } = validPart(schema, value, this.#source, path);
    this.#problems.push(...problems);
    return valid;
  }

  #id(value: Record<string, unknown>, valid: TaskInput, path: Path): string | null {
    if (valid['id'] !== undefined) return valid['id'] as string;
    const { node } = findNode(this.#yaml.root, path);
    if (value['id'] !== undefined) return null;
    if (path.length > 0) {
      const id = typeof value['title'] === 'string' ? idFrom(value['title'].toLowerCase()) : null;
      this.#problems.push({
        ...problemAt(this.#yaml, node),
        message: 'id is missing',
        expected: 'an id for each task of the list',
        example: `id: ${id ?? 'add-login'}`,
      });
      return null;
    }
    const name = this.#yaml.file.replace(/^.*\//, '').replace(/\.ya?ml$/, '');
    if (taskIdPattern.test(name)) return name;
    this.#problems.push({
      ...problemAt(this.#yaml, null),
      message: 'the name of the file cannot be the id of the task',
      expected: 'a file name of letters, digits, ".", "_" and "-", at most 64, or a field `id`',
      found: shown(name),
      example: `id: ${idFrom(name) ?? 'add-login'}`,
    });
    return null;
  }

  #checkBranch(branch: string | undefined, path: Path): void {
    const fault = branch === undefined ? null : branchNameFault(branch);
    if (fault)
      this.#fieldProblem(
        [...path, 'branch'],
        `the branch ${shown(branch)} ${fault}`,
        'a name that git takes',
      );
  }

  #collect({ milestone, milestone_id }: TaskInput): void {
    for (const one of [milestone, milestone_id]) {
      if (!isRecord(one)) continue;
      const { id, name, description } = one as unknown as Milestone;
      const known = this.#milestones.get(id);
      this.#milestones.set(id, {
        ...known,
        id,
        ...(name ? { name } : {}),
        ...(description ? { description } : {}),
      });
    }
  }

  #fieldProblem(path: Path, message: string, expected?: string): void {
    const { key, node } = findNode(this.#yaml.root, path);
    this.#problems.push({
      ...problemAt(this.#yaml, key ?? node),
      message,
      ...(expected ? { expected } : {}),
    });
  }

  /** In one pass, because a hostile map may have any number of keys. */
  #lines(node: Node | null, prefix: string, lines: Record<string, number>): void {
    if (!isMap(node)) return;
    for (const { key } of node.items as Pair<Node>[]) {
      const name = keyText(key);
      if (Object.hasOwn(taskSchema.shape, name)) {
        lines[prefix + name] = this.#yaml.place(key.range?.[0] ?? 0).line;
      }
    }
  }
}

const noSettings: TaskSettings = Object.freeze({});

function teach(key: string): { message?: string; near?: string } | null {
  if (Object.hasOwn(stateFields, key)) {
    return { message: `${key} is recorded by gza, not written in a task file: ${stateFields[key]}` };
  }
  return Object.hasOwn(taskSynonyms, key) ? { near: taskSynonyms[key]! } : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
