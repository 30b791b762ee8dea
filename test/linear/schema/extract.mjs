// Takes the part of Linear's schema that is asked for out of its published SDK and writes linear.graphql. The SDK ships
// no schema file, but its types are generated from the schema one to one: nullable is Maybe, a list is Array, the
// arguments of a field stand in <Type><Field>Args. Run by hand:
//   npm install --prefix <somewhere> @linear/sdk@98.0.0
//   node test/linear/schema/extract.mjs <somewhere>/node_modules/@linear/sdk
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const source = process.argv[2];
if (!source) throw new Error('Usage: node extract.mjs <folder of @linear/sdk>');

/** Type → the fields that are used. A required field of an input that is left out is an error. */
const used = {
  Query: 'issueLabels issues projects teams',
  Mutation:
    'attachmentCreate issueCreate issueLabelCreate issueRelationCreate issueRelationDelete issueUpdate projectCreate projectMilestoneCreate',
  Attachment: 'id title url',
  AttachmentConnection: 'nodes pageInfo',
  AttachmentCreateInput: 'id issueId subtitle title url',
  AttachmentPayload: 'success',
  DeletePayload: 'success',
  EntityIdentifierIdComparator: 'eq in',
  IdComparator: 'eq in',
  Issue:
    'archivedAt attachments description id identifier inverseRelations labels number parent priority project projectMilestone state team title trashed url',
  IssueConnection: 'nodes pageInfo',
  IssueCreateInput:
    'description id labelIds parentId priority projectId projectMilestoneId stateId teamId title',
  IssueFilter: 'and id labels number or state team',
  IssueIdComparator: 'eq in',
  IssueLabel: 'id name team',
  IssueLabelCollectionFilter: 'name some',
  IssueLabelConnection: 'nodes pageInfo',
  IssueLabelCreateInput: 'description id name teamId',
  IssueLabelFilter: 'and name or team',
  IssueLabelPayload: 'issueLabel success',
  IssuePayload: 'issue success',
  IssueRelation: 'id issue relatedIssue type',
  IssueRelationConnection: 'nodes pageInfo',
  IssueRelationCreateInput: 'id issueId relatedIssueId type',
  IssueRelationPayload: 'success',
  IssueUpdateInput:
    'addedLabelIds description parentId projectId projectMilestoneId removedLabelIds stateId title',
  NullableTeamFilter: 'id null',
  NumberComparator: 'eq in',
  PageInfo: 'endCursor hasNextPage',
  Project: 'id name projectMilestones',
  ProjectConnection: 'nodes pageInfo',
  ProjectCreateInput: 'description id name teamIds',
  ProjectFilter: 'accessibleTeams and id name or',
  ProjectMilestone: 'id name',
  ProjectMilestoneConnection: 'nodes pageInfo',
  ProjectMilestoneCreateInput: 'description id name projectId',
  ProjectMilestonePayload: 'success',
  ProjectPayload: 'success',
  StringComparator: 'eq eqIgnoreCase in nin',
  Team: 'id key name states',
  TeamCollectionFilter: 'id some',
  TeamConnection: 'nodes pageInfo',
  TeamFilter: 'id key name or',
  WorkflowState: 'id name position type',
  WorkflowStateConnection: 'nodes pageInfo',
  WorkflowStateFilter: 'type',
};
const enums = ['IssueRelationType'];
const argumentsUsed = 'after filter first id includeArchived input'.split(' ');
/** The generator of the types writes abbreviations as words. */
const written = {
  EntityIdentifierIdComparator: 'EntityIdentifierIDComparator',
  IdComparator: 'IDComparator',
  IssueIdComparator: 'IssueIDComparator',
};
const scalars = ['ID', 'String', 'Boolean', 'Int', 'Float'];

const file = readdirSync(join(source, 'dist')).find((name) => /^index-.*\.d\.mts$/.test(name));
const text = readFileSync(join(source, 'dist', file), 'utf8');
const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
const own = new Set();

/** Name → body of every `type X = { … };` */
const types = new Map(
  [...text.matchAll(/^type (\w+) = (?:\w+ & )*\{\n([\s\S]*?)^\};/gm)].map(([, name, body]) => [name, body]),
);

function fieldsOf(name) {
  const body = types.get(name)?.replace(/\/\*[\s\S]*?\*\//g, '');
  if (body === undefined) throw new Error(`the SDK has no type ${name}`);
  return [...body.matchAll(/^ {2}(\w+)(\??): (.*);$/gm)]
    .filter(([, field]) => field !== '__typename')
    .map(([, field, optional, type]) => ({ field, type: sdl(type, optional === '?') }));
}

function sdl(type, isOptional) {
  const maybe = /^(?:Input)?Maybe<(.*)>$/.exec(type);
  if (maybe) return sdl(maybe[1], true);
  const list = /^Array<(.*)>$/.exec(type);
  const scalar = /^Scalars\["(\w+)"\]$/.exec(type)?.[1];
  if (scalar && !scalars.includes(scalar)) own.add(scalar);
  const name = list ? `[${sdl(list[1], false)}]` : (scalar ?? written[type] ?? type);
  return isOptional ? name : `${name}!`;
}

function argumentsOf(type, field, gives) {
  const name = `${type}${field[0].toUpperCase()}${field.slice(1)}Args`;
  if (!types.has(name)) return '';
  const all = fieldsOf(name);
  for (const one of all)
    if (one.type.endsWith('!') && !argumentsUsed.includes(one.field))
      throw new Error(`${name} needs ${one.field}`);
  const kept = all.filter((one) => argumentsUsed.includes(one.field)).filter(({ type }) => known(type));
  if (kept.length === 0) return '';
  const list = kept.map((one) => `${one.field}: ${one.type}`);
  const line = `(${list.join(', ')})`;
  return `  ${field}${line}: ${gives}`.length <= 110 ? line : `(\n    ${list.join('\n    ')}\n  )`;
}

function known(type) {
  const name = type.replace(/[[\]!]/g, '');
  return (
    scalars.includes(name) ||
    own.has(name) ||
    enums.includes(name) ||
    name in used ||
    Object.values(written).includes(name)
  );
}

function print(name, wanted) {
  const isInput = /(Input|Filter|Comparator)$/.test(name);
  const all = fieldsOf(name);
  const lines = wanted.split(' ').map((field) => {
    const found = all.find((one) => one.field === field);
    if (!found) throw new Error(`${name} has no field ${field}`);
    if (!known(found.type)) throw new Error(`${name}.${field}: ${found.type} is not among the types used`);
    return `  ${field}${isInput ? '' : argumentsOf(name, field, found.type)}: ${found.type}`;
  });
  const lacking = all.filter(
    (one) => isInput && one.type.endsWith('!') && !wanted.split(' ').includes(one.field),
  );
  if (lacking.length > 0) throw new Error(`${name} needs ${lacking.map((one) => one.field).join(', ')}`);
  return `${isInput ? 'input' : 'type'} ${written[name] ?? name} {\n${lines.join('\n')}\n}\n`;
}

function printEnum(name) {
  const body = new RegExp(`^declare enum ${name} \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(text)?.[1];
  if (!body) throw new Error(`the SDK has no enum ${name}`);
  const values = [...body.matchAll(/= "(\w+)"/g)].map(([, value]) => `  ${value}`);
  return `enum ${name} {\n${values.join('\n')}\n}\n`;
}

const printed = [
  ...Object.entries(used).map(([name, fields]) => print(name, fields)),
  ...enums.map(printEnum),
];
const head = `# The part of Linear's schema that gza asks for. Made by extract.mjs from @linear/sdk ${version},
# dist/${file}, sha256 ${createHash('sha256').update(text).digest('hex')}.\n`;
const extra = [...own].toSorted((a, b) => (a < b ? -1 : 1)).map((name) => `scalar ${name}\n`);
writeFileSync(new URL('linear.graphql', import.meta.url), [head, ...extra, ...printed].join('\n'));
