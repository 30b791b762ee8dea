/** Files that are made from the code and committed; build.mjs writes them and checks that they are current. */
import { verbGroups } from './commands/commands.ts';
import { globalOptions } from './commands/global-options.ts';
import { configJsonSchema, printJsonSchema, taskFileJsonSchema } from './core/json-schema.ts';
import { manPage } from './core/text/man.ts';

declare const __GZA_VERSION__: string;

/** Path in this repository → text. */
export async function generate(): Promise<Map<string, string>> {
  const groups = await Promise.all(
    verbGroups.map(async ({ title, verbs }) => ({
      title,
      specs: await Promise.all(verbs.map(async (verb) => (await verb.load()).command.spec)),
    })),
  );
  return new Map([
    ['schemas/task.schema.json', printJsonSchema(taskFileJsonSchema())],
    ['schemas/config.schema.json', printJsonSchema(configJsonSchema())],
    ['man/gza.1', manPage('gza', __GZA_VERSION__, groups, globalOptions)],
    ['man/git-tasks.1', manPage('git-tasks', __GZA_VERSION__, groups, globalOptions)],
  ]);
}
