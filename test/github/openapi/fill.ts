/**
 * The fake models what a client of ours reads; GitHub's answers carry ten times that. The rest is filled in from
 * the schema with values that are legal and visibly not modelled, so that every answer has GitHub's full shape.
 */
import { type Schema, schemas } from './check.ts';

const notModelled = 'https://not-modelled.invalid/';

export function fill(schema: Schema, value: unknown): unknown {
  const resolved = resolve(schema, value);
  if (value === undefined) return sample(resolved);
  if (value === null) return value;
  if (Array.isArray(value)) {
    const items = resolved['items'] as Schema | undefined;
    return items ? value.map((one) => fill(items, one)) : value;
  }
  if (typeof value !== 'object') return value;
  return fillObject(resolved, value as Record<string, unknown>);
}

function fillObject(schema: Schema, value: Record<string, unknown>): Record<string, unknown> {
  const properties = (schema['properties'] ?? {}) as Record<string, Schema>;
  const required = (schema['required'] ?? []) as string[];
  const filled: Record<string, unknown> = {};
  for (const [key, one] of Object.entries(value)) {
    if (one === undefined) continue;
    filled[key] = properties[key] ? fill(properties[key], one) : one;
  }
  for (const key of required) if (!(key in filled)) filled[key] = sample(resolve(properties[key] ?? {}));
  return filled;
}

/** One plain schema for a reference, a union (the member that the value is meant for) or an intersection. */
function resolve(schema: Schema, value?: unknown): Schema {
  const ref = schema['$ref'];
  if (typeof ref === 'string') return resolve(schemas[ref.split('/').at(-1) ?? ''] ?? {}, value);
  const all = schema['allOf'] as Schema[] | undefined;
  if (all) return merge([...all.map((one) => resolve(one)), { ...schema, allOf: undefined }]);
  const any = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined;
  if (!any) return schema;
  const nullable = any.some((one) => one['type'] === 'null');
  const members = any.filter((one) => one['type'] !== 'null').map((one) => resolve(one));
  const fitting = members
    .filter((one) => suits(one, value))
    .toSorted((a, b) => missing(a, value) - missing(b, value));
  const first = fitting[0] ?? members[0] ?? {};
  return nullable ? { ...first, nullable: true } : first;
}

function suits(schema: Schema, value: unknown): boolean {
  if (Array.isArray(value) || schema['type'] === 'array')
    return Array.isArray(value) && schema['type'] === 'array';
  if (value === null || typeof value !== 'object') return value === undefined;
  const kind = (schema['properties'] as Record<string, Schema> | undefined)?.['type']?.['enum'] as
    | unknown[]
    | undefined;
  return kind === undefined || kind.includes((value as { type?: unknown }).type);
}

function missing(schema: Schema, value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  return ((schema['required'] ?? []) as string[]).filter((key) => !(key in value)).length;
}

function merge(parts: readonly Schema[]): Schema {
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map((part) => part['properties'] ?? {})),
    required: parts.flatMap((part) => (part['required'] ?? []) as string[]),
  };
}

function sample(schema: Schema): unknown {
  const types = [schema['type'] ?? (schema['properties'] ? 'object' : 'null')].flat();
  if (schema['nullable'] === true || types.includes('null')) return null;
  const options = schema['enum'] as unknown[] | undefined;
  if (options) return options[0];
  switch (types[0] as string) {
    case 'string':
      return sampleString(schema['format']);
    case 'integer':
    case 'number':
      return 0;
    case 'boolean':
      return false;
    case 'array':
      return [];
    default:
      return fillObject(schema, {});
  }
}

function sampleString(format: unknown): string {
  if (format === 'uri' || format === 'uri-template') return notModelled;
  if (format === 'date-time') return '1970-01-01T00:00:00Z';
  return 'not modelled';
}
