// Takes the operations the fake serves out of GitHub's own OpenAPI description and writes github.jsonl: a line for each.
// Run by hand (the description is 385 MB, so it is no dependency):
//   npm install --prefix <somewhere> @octokit/openapi@23.0.2
//   node test/github/openapi/extract.mjs <somewhere>/node_modules/@octokit/openapi
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = process.argv[2];
if (!source) throw new Error('Usage: node extract.mjs <folder of @octokit/openapi>');

const operations = `
GET /rate_limit
GET /user
GET /repos/{owner}/{repo}
POST /repos/{owner}/{repo}/dispatches
GET /repos/{owner}/{repo}/collaborators/{username}/permission
GET /repos/{owner}/{repo}/branches
GET /repos/{owner}/{repo}/branches/{branch}
GET /repos/{owner}/{repo}/branches/{branch}/protection
GET /repos/{owner}/{repo}/rules/branches/{branch}
GET /repos/{owner}/{repo}/rulesets
GET /repos/{owner}/{repo}/actions/secrets
GET /repos/{owner}/{repo}/actions/organization-secrets
GET /repos/{owner}/{repo}/compare/{basehead}
GET /repos/{owner}/{repo}/contents/{path}
GET /repos/{owner}/{repo}/commits/{ref}
GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls
GET /repos/{owner}/{repo}/commits/{ref}/status
GET /repos/{owner}/{repo}/commits/{ref}/statuses
GET /repos/{owner}/{repo}/commits/{ref}/check-runs
POST /repos/{owner}/{repo}/statuses/{sha}
GET /repos/{owner}/{repo}/git/ref/{ref}
GET /repos/{owner}/{repo}/git/matching-refs/{ref}
GET /repos/{owner}/{repo}/git/commits/{commit_sha}
POST /repos/{owner}/{repo}/git/refs
PATCH /repos/{owner}/{repo}/git/refs/{ref}
DELETE /repos/{owner}/{repo}/git/refs/{ref}
GET /repos/{owner}/{repo}/pulls
POST /repos/{owner}/{repo}/pulls
GET /repos/{owner}/{repo}/pulls/{pull_number}
PATCH /repos/{owner}/{repo}/pulls/{pull_number}
GET /repos/{owner}/{repo}/pulls/{pull_number}/files
GET /repos/{owner}/{repo}/pulls/{pull_number}/commits
PUT /repos/{owner}/{repo}/pulls/{pull_number}/merge
PUT /repos/{owner}/{repo}/pulls/{pull_number}/update-branch
GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews
POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews
PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}
PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals
GET /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/comments
GET /repos/{owner}/{repo}/pulls/{pull_number}/comments
POST /repos/{owner}/{repo}/pulls/{pull_number}/comments
POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies
POST /repos/{owner}/{repo}/pulls/{pull_number}/requested_reviewers
GET /repos/{owner}/{repo}/pulls/comments
GET /repos/{owner}/{repo}/pulls/comments/{comment_id}
PATCH /repos/{owner}/{repo}/pulls/comments/{comment_id}
DELETE /repos/{owner}/{repo}/pulls/comments/{comment_id}
GET /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions
POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions
GET /repos/{owner}/{repo}/issues
POST /repos/{owner}/{repo}/issues
GET /repos/{owner}/{repo}/issues/{issue_number}
PATCH /repos/{owner}/{repo}/issues/{issue_number}
GET /repos/{owner}/{repo}/issues/{issue_number}/comments
POST /repos/{owner}/{repo}/issues/{issue_number}/sub_issues
GET /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by
POST /repos/{owner}/{repo}/issues/{issue_number}/dependencies/blocked_by
GET /repos/{owner}/{repo}/milestones
POST /repos/{owner}/{repo}/milestones
POST /repos/{owner}/{repo}/issues/{issue_number}/comments
GET /repos/{owner}/{repo}/issues/{issue_number}/events
GET /repos/{owner}/{repo}/issues/comments
GET /repos/{owner}/{repo}/issues/comments/{comment_id}
PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}
DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}
GET /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions
POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions
DELETE /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions/{reaction_id}
GET /repos/{owner}/{repo}/issues/{issue_number}/reactions
POST /repos/{owner}/{repo}/issues/{issue_number}/reactions
GET /repos/{owner}/{repo}/issues/{issue_number}/labels
POST /repos/{owner}/{repo}/issues/{issue_number}/labels
DELETE /repos/{owner}/{repo}/issues/{issue_number}/labels/{name}
POST /repos/{owner}/{repo}/issues/{issue_number}/assignees
GET /repos/{owner}/{repo}/labels
POST /repos/{owner}/{repo}/labels
GET /repos/{owner}/{repo}/actions/permissions/workflow
GET /repos/{owner}/{repo}/actions/workflows
GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}
GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs
POST /repos/{owner}/{repo}/actions/workflows/{workflow_id}/dispatches
GET /repos/{owner}/{repo}/actions/runs
GET /repos/{owner}/{repo}/actions/runs/{run_id}
GET /repos/{owner}/{repo}/actions/runs/{run_id}/attempts/{attempt_number}
GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs
GET /repos/{owner}/{repo}/actions/runs/{run_id}/artifacts
GET /repos/{owner}/{repo}/actions/jobs/{job_id}
GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs
POST /repos/{owner}/{repo}/actions/runs/{run_id}/cancel
POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun
POST /repos/{owner}/{repo}/actions/runs/{run_id}/rerun-failed-jobs
POST /repos/{owner}/{repo}/actions/runs/{run_id}/approve
GET /repos/{owner}/{repo}/actions/artifacts
GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}
GET /repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}
`
  .trim()
  .split('\n');

const file = join(source, 'generated', 'api.github.com.json');
const text = readFileSync(file);
const api = JSON.parse(text.toString('utf8'));
const version = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')).version;
const schemas = {};

const lookup = (ref) =>
  ref
    .slice(2)
    .split('/')
    .reduce((at, key) => at[key.replaceAll('~1', '/')], api);
const deref = (value) => (value?.$ref ? lookup(value.$ref) : value);

/** OpenAPI 3.0 schema → JSON Schema: `nullable` becomes a type, words and examples go. */
function convert(schema) {
  if (Array.isArray(schema)) return schema.map(convert);
  if (schema === null || typeof schema !== 'object') return schema;
  if (schema.$ref) {
    const name = schema.$ref.split('/').at(-1);
    if (!(name in schemas)) {
      schemas[name] = null;
      schemas[name] = convert(lookup(schema.$ref));
    }
    return { $ref: `#/schemas/${name}` };
  }
  const kept = {};
  for (const [key, value] of Object.entries(schema)) {
    if (
      [
        'description',
        'example',
        'examples',
        'title',
        'externalDocs',
        'deprecated',
        'nullable',
        'discriminator',
      ].includes(key)
    )
      continue;
    if (key.startsWith('x-')) continue;
    if (key === 'properties')
      kept.properties = Object.fromEntries(Object.entries(value).map(([name, one]) => [name, convert(one)]));
    else if (key === 'enum' || key === 'default' || key === 'required') kept[key] = value;
    else kept[key] = convert(value);
  }
  if (!schema.nullable) return kept;
  if (kept.type && kept.enum)
    return { ...kept, type: [kept.type, 'null'], enum: [...new Set([...kept.enum, null])] };
  if (kept.type) return { ...kept, type: [kept.type, 'null'] };
  return Object.keys(kept).length === 0 ? {} : { anyOf: [kept, { type: 'null' }] };
}

function content(body) {
  const media = body?.content ?? {};
  const json = media['application/json'] ?? media['application/scim+json'];
  return json?.schema ? convert(json.schema) : null;
}

function extract(line) {
  const [method, path] = line.split(' ');
  const item = api.paths[path];
  const operation = item?.[method.toLowerCase()];
  if (!operation) throw new Error(`GitHub has no ${line}`);
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(deref);
  const body = deref(operation.requestBody);
  return {
    id: operation.operationId,
    method,
    path,
    parameters: parameters.map(({ name, in: place, required, schema }) => ({
      name,
      in: place,
      required: required === true,
      schema: convert(schema ?? {}),
    })),
    body: body ? { required: body.required === true, schema: content(body) } : null,
    responses: Object.fromEntries(
      Object.entries(operation.responses).map(([status, response]) => [status, content(deref(response))]),
    ),
  };
}

const extracted = operations.map(extract);
const sha256 = createHash('sha256').update(text).digest('hex');
const target = fileURLToPath(new URL('github.jsonl', import.meta.url));
const lines = [
  { source: { package: '@octokit/openapi', version, file: 'generated/api.github.com.json', sha256 } },
  ...extracted.map((operation) => ({ operation })),
  ...Object.entries(schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => ({ name, schema })),
];
writeFileSync(target, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`);
console.log(`${extracted.length} operations, ${Object.keys(schemas).length} schemas → ${target}`);
