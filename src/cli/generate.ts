/** Files that are generated from the code and committed. build.mjs writes and checks them. */
import { globalOptions, verbGroups } from '../commands/commands.ts';
import { withFieldTables } from '../core/text/field-table.ts';
import { type ManGroup, manPage } from '../core/text/help/man.ts';
import { version } from '../core/version.ts';
import { configJsonSchema, printJsonSchema, taskFileJsonSchema } from '../core/yaml/schema-problem.ts';

/** Path in this repository → text. `read` returns the present file, for partly generated pages. */
export async function generate(read: (path: string) => string): Promise<Map<string, string>> {
  const groups: ManGroup[] = [];
  for (const { title, verbs } of verbGroups) {
    const specs = [];
    for (const verb of verbs) specs.push((await verb.load()).spec);
    groups.push({ title, specs });
  }
  return new Map([
    ['schemas/task.schema.json', printJsonSchema(taskFileJsonSchema())],
    ['schemas/config.schema.json', printJsonSchema(configJsonSchema())],
    ['docs/tasks.md', withFieldTables(read('docs/tasks.md'))],
    ['man/gza.1', manPage('gza', version, groups, globalOptions)],
    ['man/git-tasks.1', manPage('git-tasks', version, groups, globalOptions)],
  ]);
}
