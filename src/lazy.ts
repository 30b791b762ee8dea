/**
 * What start-up must not pay for. Most calls look at tasks or file one: they need no YAML parser, no schema and
 * no agent. The build puts what is named here into a file of its own, dist/lazy.js, which is read when one of
 * these is first needed; dist/cli.js stays small. Loaded only by `import('./lazy.ts')`.
 */
export { definitionOf } from './backlog/definition-of.ts';
export {
  changeTaskFile,
  deleteTaskFromFile,
  editTaskFile,
  refuseDeletion,
  writeNewTaskFile,
} from './backlog/edit-task-file.ts';
export { lazyVerbs } from './commands/lazy-verbs.ts';
export { parseConfig } from './core/parse-config.ts';
export { parseTaskFile } from './core/parse-task-file.ts';
