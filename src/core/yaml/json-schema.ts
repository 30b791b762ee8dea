/** The schemas as JSON Schema: for editors, and as the shapes that yaml-value.ts reads by. */
import * as z from 'zod';
import { configSchema } from '../config/config-schema.ts';
import { manyTasksSchema, taskSchema } from '../task/task-schema.ts';
import type { Shape } from './yaml-value.ts';

export function shapeOf(schema: z.ZodType): Shape {
  return z.toJSONSchema(schema, { target: 'draft-7', io: 'input', reused: 'inline' }) as Shape;
}

/** The same for a file: each field when it is first asked for, as all take long and a file has few. */
export function lazyShapeOf(schema: z.ZodObject): Shape {
  const properties: Record<string, Shape> = {};
  for (const [name, field] of Object.entries(schema.shape)) {
    let known: Shape | undefined;
    const get = () => (known ??= shapeOf(field as z.ZodType));
    Object.defineProperty(properties, name, { enumerable: true, get });
  }
  return { type: 'object', properties, additionalProperties: false };
}

/**
 * One task, or several under `tasks:`. Said with if/then/else and not anyOf, so that an editor complains about
 * the one wrong field and not about the whole file.
 */
export function taskFileJsonSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'gza task file',
    description: 'One task, or several under `tasks:` with shared `group`, `milestone` and `defaults`.',
    if: { type: 'object', required: ['tasks'] },
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema, not a promise
    then: forEditors(shapeOf(manyTasksSchema)),
    else: forEditors(shapeOf(taskSchema)),
  };
}

export function configJsonSchema(): object {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'gza.yaml',
    ...forEditors(shapeOf(configSchema)),
  };
}

function forEditors(shape: Shape): object {
  const { $schema: _, ...rest } = shape as Shape & { $schema?: string };
  return cleaned(rest) as object;
}

/** Without what only bounds numbers by what JavaScript can count to, and without the key names' own schema. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, inner]) =>
      !(key === 'maximum' && inner === Number.MAX_SAFE_INTEGER) &&
      !(key === 'propertyNames' && JSON.stringify(inner) === '{"type":"string"}'),
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, cleaned(inner)]));
}

export function printJsonSchema(schema: object): string {
  return `${JSON.stringify(schema, null, 2)}\n`;
}
