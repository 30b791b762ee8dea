// Takes the types the fake serves out of GitHub's own GraphQL schema and writes github.graphql. Run by hand:
//   npm install --prefix <somewhere> @octokit/graphql-schema@15.26.1
//   node test/github/graphql/extract.mjs <somewhere>/node_modules/@octokit/graphql-schema
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isSpecifiedScalarType,
  isUnionType,
  printType,
} from 'graphql';

const source = process.argv[2];
if (!source) throw new Error('Usage: node extract.mjs <folder of @octokit/graphql-schema>');

const wanted = `
Query: repository rateLimit
Repository: id nameWithOwner pullRequest pullRequests issue issues
PullRequest: id number title body state merged mergedAt mergeCommit isDraft baseRefName baseRefOid headRefName headRefOid createdAt updatedAt closed closedAt lastEditedAt editor author userContentEdits reviewThreads url mergeable isCrossRepository labels timelineItems comments reviews
PullRequestConnection: nodes totalCount pageInfo
Issue: id number title body state createdAt updatedAt closed lastEditedAt editor author userContentEdits url comments timelineItems
IssueConnection: nodes totalCount pageInfo
LabelConnection: nodes totalCount pageInfo
Label: name
PullRequestTimelineItemsConnection: nodes totalCount pageInfo
ClosedEvent: actor createdAt
BaseRefDeletedEvent: actor createdAt
PullRequestTimelineItems: ClosedEvent BaseRefDeletedEvent RenamedTitleEvent
IssueTimelineItemsConnection: nodes totalCount pageInfo
LabeledEvent: actor createdAt label
RenamedTitleEvent: actor createdAt
IssueTimelineItems: LabeledEvent RenamedTitleEvent
Commit: oid
Actor: login
User: login databaseId
Bot: login databaseId
UserContentEditConnection: nodes totalCount pageInfo
UserContentEdit: editor editedAt createdAt diff
PullRequestReviewThreadConnection: nodes totalCount pageInfo
PullRequestReviewThread: id isResolved path line comments resolvedBy
PullRequestReviewCommentConnection: nodes totalCount pageInfo
PullRequestReviewComment: id databaseId body author createdAt updatedAt isMinimized
IssueCommentConnection: nodes totalCount pageInfo
IssueComment: id databaseId body author createdAt updatedAt isMinimized
PullRequestReviewConnection: nodes totalCount pageInfo
PullRequestReview: id databaseId body author state createdAt updatedAt submittedAt lastEditedAt isMinimized
PageInfo: hasNextPage endCursor hasPreviousPage startCursor
RateLimit: cost limit remaining resetAt used
Mutation: updatePullRequest addPullRequestReview markPullRequestReadyForReview convertPullRequestToDraft resolveReviewThread minimizeComment unresolveReviewThread updateRefs addReaction enqueuePullRequest
UpdatePullRequestPayload: pullRequest clientMutationId
AddPullRequestReviewPayload: pullRequestReview clientMutationId
MarkPullRequestReadyForReviewPayload: pullRequest clientMutationId
ConvertPullRequestToDraftPayload: pullRequest clientMutationId
ResolveReviewThreadPayload: thread clientMutationId
UnresolveReviewThreadPayload: thread clientMutationId
MinimizeCommentPayload: minimizedComment clientMutationId
Minimizable: isMinimized
UpdateRefsPayload: clientMutationId
AddReactionPayload: clientMutationId
EnqueuePullRequestPayload: clientMutationId
`
  .trim()
  .split('\n')
  .map((line) => line.split(': '))
  .map(([name, fields]) => [name, fields.split(' ')]);

const text = readFileSync(join(source, 'schema.graphql'), 'utf8');
const version = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')).version;
// GitHub's own file defines two fields twice, so it is not valid by the letter.
const schema = buildSchema(text, { assumeValidSDL: true });
const inputs = new Map();

function takeInput(type) {
  const named = getNamedType(type);
  if (inputs.has(named.name) || isSpecifiedScalarType(named)) return;
  if (isInputObjectType(named)) {
    inputs.set(named.name, null);
    const fields = Object.values(named.getFields());
    for (const field of fields) takeInput(field.type);
    inputs.set(
      named.name,
      `input ${named.name} {\n${fields.map((field) => `  ${field.name}: ${String(field.type)}`).join('\n')}\n}`,
    );
  } else if (isEnumType(named)) {
    inputs.set(
      named.name,
      `enum ${named.name} {\n${named
        .getValues()
        .map((value) => `  ${value.name}`)
        .join('\n')}\n}`,
    );
  } else inputs.set(named.name, printType(named).replace(/"""[\s\S]*?"""\n?/g, ''));
}

const kept = new Set(wanted.map(([name]) => name));
const types = wanted.map(([name, fields]) => {
  const type = schema.getType(name);
  // Of a union those members that the fake tells of.
  if (isUnionType(type)) return `union ${String(name)} = ${fields.join(' | ')}`;
  const all = type.getFields();
  const lines = fields.map((field) => {
    const found = all[field];
    if (!found) throw new Error(`GitHub has no ${String(name)}.${field}`);
    const output = getNamedType(found.type);
    if (!kept.has(output.name)) takeInput(output);
    for (const arg of found.args) takeInput(arg.type);
    const args = found.args.map((arg) => `${arg.name}: ${arg.type}`).join(', ');
    return `  ${field}${args ? `(${args})` : ''}: ${found.type}`;
  });
  const implemented = isInterfaceType(type) ? [] : type.getInterfaces().filter((one) => kept.has(one.name));
  const suffix =
    implemented.length > 0 ? ` implements ${implemented.map((one) => one.name).join(' & ')}` : '';
  return `${isInterfaceType(type) ? 'interface' : 'type'} ${String(name)}${suffix} {\n${lines.join('\n')}\n}`;
});

const sha256 = createHash('sha256').update(text).digest('hex');
const target = fileURLToPath(new URL('github.graphql', import.meta.url));
const head = `# From @octokit/graphql-schema ${version} (schema.graphql, sha256 ${sha256}) by extract.mjs\n`;
writeFileSync(target, `${head}\n${[...types, ...[...inputs.values()].filter(Boolean)].join('\n\n')}\n`);
console.log(`${types.length} types, ${inputs.size} inputs, enums and scalars → ${target}`);
