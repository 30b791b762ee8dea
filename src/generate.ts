/** Files that are made from the code and committed; build.mjs writes them and checks that they are current. */
import { configJsonSchema, printJsonSchema, taskFileJsonSchema } from './core/json-schema.ts';

/** Path in this repository → text. */
export function generate(): Map<string, string> {
  return new Map([
    ['schemas/task.schema.json', printJsonSchema(taskFileJsonSchema())],
    ['schemas/config.schema.json', printJsonSchema(configJsonSchema())],
  ]);
}
