/**
 * What reading and writing YAML needs. Most calls only list tasks or file one and need none of it, so the
 * build puts it into dist/lazy.js. Loaded only by `import('./lazy-backlog.ts')`.
 */
export { parseConfig } from '../core/config/parse-config.ts';
export { parseTaskFile } from '../core/task/parse-task-file.ts';
export {
  changeTaskFile,
  deleteTaskFromFile,
  editTaskFile,
  refuseDeletion,
  writeNewTaskFile,
} from './edit-task-file.ts';
