/**
 * Every request to the fake and every answer of it is held against GitHub's own description of its API, so the
 * fake cannot drift into a GitHub of our wishes. What the description lets through wrongly is in strict-rules.ts.
 */
import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

export type Schema = Readonly<Record<string, unknown>>;

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: { readonly required: boolean; readonly schema: Schema | null } | null;
  readonly responses: Readonly<Record<string, Schema | null>>;
}

interface Line {
  readonly source?: Readonly<Record<string, string>>;
  readonly operation?: Operation;
  readonly name?: string;
  readonly schema?: Schema;
}

const lines = readFileSync(new URL('github.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Line);

export const operations: readonly Operation[] = lines.flatMap((line) => line.operation ?? []);
export const schemas: Readonly<Record<string, Schema>> = Object.fromEntries(
  lines.flatMap((line) => (line.name && line.schema ? [[line.name, line.schema]] : [])),
);

/** Places where GitHub's own examples break GitHub's own schema, each seen in practice. */
const defects: readonly RegExp[] = [
  /\/requested_teams\/\d+\/type/,
  /\/role_name/,
  /\/language /,
  /\/labels\/\d+\/description/,
];

const ajv = new Ajv({
  strict: false,
  allErrors: true,
  coerceTypes: false,
  // Most are used a few times only: what is made sooner is worth more than what runs faster.
  inlineRefs: false,
  code: { optimize: false },
  formats: {
    'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
    uri: /^[a-z][a-z0-9+.-]*:\S+$/i,
    date: true,
    email: true,
    int64: true,
    'repo.nwo': /^[^/]+\/[^/]+$/,
    'uri-template': true,
    hostname: true,
    binary: true,
    timestamp: true,
    'enum-string': true,
  },
});
ajv.addSchema({ $id: 'github', schemas }, 'github');

const compiled = new Map<string, ValidateFunction>();

function validator(key: string, schema: Schema): ValidateFunction {
  const known = compiled.get(key);
  if (known) return known;
  const made = ajv.compile(pointed(schema) as Schema);
  compiled.set(key, made);
  return made;
}

/** `#/schemas/x` is meant in the whole description, not in the piece being compiled. */
function pointed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(pointed);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) =>
      key === '$ref' && typeof one === 'string' ? [key, `github${one}`] : [key, pointed(one)],
    ),
  );
}

/** GitHub ignores a key it does not know; here it is a mistake of the client. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (value === null || typeof value !== 'object') return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, closed(one)]));
  return 'properties' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

function errorsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? [])
    .map((error) => {
      const extra =
        error.keyword === 'additionalProperties' ? ` (${error.params['additionalProperty']})` : '';
      return `${error.instancePath || '/'} ${error.message ?? error.keyword}${extra}`;
    })
    .filter((text) => !defects.some((defect) => defect.test(text)));
}

export interface CheckedRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly body: unknown;
}

export function checkRequest(operation: Operation, { params, query, body }: CheckedRequest): string[] {
  const errors = checkQuery(operation, query);
  for (const one of operation.parameters.filter((parameter) => parameter.in === 'path')) {
    const value = params[one.name] ?? '';
    errors.push(...checkParameter(operation, one, value));
  }
  const schema = operation.body?.schema;
  if (body === undefined) {
    if (operation.body?.required) errors.push('the body is required');
  } else if (!schema) {
    errors.push(`${operation.id} takes no body`);
  } else {
    const check = validator(`${operation.id} body`, closed(schema) as Schema);
    errors.push(...errorsOf(check, body).map((text) => `body ${text}`));
  }
  return errors;
}

function checkQuery(operation: Operation, query: URLSearchParams): string[] {
  const errors: string[] = [];
  for (const [name, value] of query) {
    const parameter = operation.parameters.find((one) => one.in === 'query' && one.name === name);
    if (!parameter) errors.push(`${operation.id} has no query parameter ${name}`);
    else errors.push(...checkParameter(operation, parameter, value));
  }
  return errors;
}

function checkParameter(operation: Operation, parameter: Parameter, text: string): string[] {
  const type = parameter.schema['type'];
  const value = type === 'integer' ? Number(text) : type === 'boolean' ? text === 'true' : text;
  const check = validator(`${operation.id} ${parameter.in} ${parameter.name}`, parameter.schema);
  return errorsOf(check, value).map((error) => `${parameter.name}=${text}: ${error}`);
}

/** The description leaves out some answers that GitHub does give (401, rate limits, 5xx). */
const everywhere = new Set([400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503]);

export function checkAnswer(operation: Operation, status: number, body: unknown): string[] {
  const schema = operation.responses[String(status)];
  if (schema === undefined) {
    return everywhere.has(status) || status === 304
      ? []
      : [`${operation.id} never answers ${status} (it does ${Object.keys(operation.responses).join(', ')})`];
  }
  if (schema === null) return body === undefined ? [] : [`${operation.id} answers ${status} without a body`];
  if (status >= 400) return [];
  return errorsOf(validator(`${operation.id} ${status}`, schema), body);
}
