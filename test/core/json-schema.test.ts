import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { generate } from '../../src/cli/generate.ts';
import { parseConfig } from '../../src/core/config/parse-config.ts';
import { parseTaskFile } from '../../src/core/task/parse-task-file.ts';
import { schemaUrl } from '../../src/core/text/doctor/home.ts';
import { agentsSection, starterFiles } from '../../src/core/text/doctor/starter.ts';
import { configJsonSchema, taskFileJsonSchema } from '../../src/core/yaml/schema-problem.ts';

interface Json {
  properties: Record<string, Json>;
  description?: string;
}

test('editors are told about every field, and refuse what gza refuses', () => {
  const task = taskFileJsonSchema() as Json;
  const { else: one, then: many } = task as unknown as Record<'else' | 'then', Json>;
  for (const [name, field] of Object.entries(one.properties))
    expect([name, field.description]).toEqual([name, expect.any(String)]);
  expect(one).toMatchObject({ additionalProperties: false });
  expect(many).toMatchObject({ additionalProperties: false, required: ['tasks'] });
  expect(one.properties).toMatchObject({
    type: { enum: ['task', 'explore', 'plan', 'implement', 'review', 'improve'] },
    title: { maxLength: 80 },
    depends_on: { anyOf: [{ type: 'string' }, { type: 'array' }] },
    auto_review: { type: 'boolean' },
  });
  const config = configJsonSchema() as Json;
  for (const [name, field] of Object.entries(config.properties))
    expect([name, field.description]).toEqual([name, expect.any(String)]);
  expect(config).toMatchObject({ additionalProperties: false });
});

test('the generated files are the schemas, as JSON, the tables of fields and the man pages', async () => {
  const files = await generate((path) => readFileSync(path, 'utf8'));
  const schemas = ['schemas/task.schema.json', 'schemas/config.schema.json'];
  expect([...files.keys()]).toEqual([...schemas, 'docs/tasks.md', 'man/gza.1', 'man/git-tasks.1']);
  for (const path of schemas) expect(JSON.parse(files.get(path) as string)).toHaveProperty('$schema');
});

test('what gza init writes is right, and names the schemas of a release', () => {
  for (const options of [{}, { verify: 'npm test -- "x: y"', agent: 'codex' }]) {
    const files = starterFiles(options);
    const read = parseConfig({ gza: files.get('gza.yaml') });
    expect(read.problems).toEqual([]);
    expect(read.config).toMatchObject({
      parallel_workers: 3,
      task_types: { implement: { auto_review: true } },
    });
    expect(read.config.defaults.verify).toBe('verify' in options ? options.verify : undefined);
    expect(parseTaskFile('tasks/example.yml', files.get('tasks/example.yml')!).problems).toEqual([]);
    expect(files.get('gza.yaml')).toContain(`$schema=${schemaUrl('config')}\n`);
    expect(files.get('tasks/example.yml')).toContain(`$schema=${schemaUrl('task')}\n`);
    expect([...files.keys()]).toEqual(['gza.yaml', 'tasks/example.yml']);
  }
  expect(agentsSection).toContain('git tasks ready');
});
