/**
 * What reading and writing YAML needs. Most calls look at tasks or file one, and load none of it: the build puts it
 * into dist/lazy.js. Loaded only by `import('./lazy-backlog.ts')`.
 */

import { parseTaskFile } from '../core/task/parse-task-file.ts';
import type { FileTask } from '../core/task/task.ts';
import { decodeText } from './backlog.ts';

export { parseConfig } from '../core/config/parse-config.ts';
export {
  changeTaskFile,
  deleteTaskFromFile,
  editTaskFile,
  refuseDeletion,
  writeNewTaskFile,
} from './edit-task-file.ts';
export { parseTaskFile };

/** The whole task from the bytes of its file, or null when it is not in there (any more). */
export function definitionOf(known: FileTask, bytes: Buffer): FileTask | null {
  const text = decodeText(known.file, bytes);
  if (typeof text !== 'string') return null;
  const found = parseTaskFile(known.file, text).tasks.find(({ task }) => task.id === known.task.id);
  return found ? { ...found, order: known.order } : null;
}
