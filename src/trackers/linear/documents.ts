/** All requests to Linear. The page sizes respect its limit of 10,000 complexity points a request. */
export const issuesPerPage = 50;
export const changesPerRequest = 20;
const nested = { labels: 25, relations: 20, attachments: 10 } as const;

export const teamsQuery = `query GzaTeam($filter: TeamFilter!) {
  teams(first: 2, filter: $filter) {
    nodes { id key name states(first: 50) { nodes { id name type position } } }
  }
}`;

export const projectsQuery = `query GzaProject($filter: ProjectFilter!) {
  projects(first: 5, filter: $filter) {
    nodes { id name projectMilestones(first: 100) { nodes { id name } } }
  }
}`;

export const labelsQuery = `query GzaLabels($filter: IssueLabelFilter!, $after: String) {
  issueLabels(first: 100, after: $after, filter: $filter) {
    nodes { id name team { id } }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const issuesQuery = `query GzaIssues($filter: IssueFilter!, $after: String) {
  issues(first: ${issuesPerPage}, after: $after, filter: $filter, includeArchived: true) {
    nodes {
      id identifier url description archivedAt trashed
      state { id }
      team { id }
      parent { id identifier }
      projectMilestone { id name }
      labels(first: ${nested.labels}) { nodes { id name } }
      inverseRelations(first: ${nested.relations}) { nodes { id type issue { id identifier } } }
      attachments(first: ${nested.attachments}) { nodes { url } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

export const labelledQuery = `query GzaLabelled($filter: IssueFilter!, $after: String) {
  issues(first: ${issuesPerPage}, after: $after, filter: $filter) {
    nodes {
      id identifier url title description priority
      parent { id identifier }
      inverseRelations(first: ${nested.relations}) { nodes { type issue { id identifier } } }
    }
    pageInfo { hasNextPage endCursor }
  }
}`;

/** The mutations by name. In a request, `$id` and `$input` get names of their own. */
const changes = {
  projectCreate: { input: 'ProjectCreateInput', gives: 'success' },
  projectMilestoneCreate: { input: 'ProjectMilestoneCreateInput', gives: 'success' },
  issueLabelCreate: { input: 'IssueLabelCreateInput', gives: 'success issueLabel { id }' },
  issueCreate: { input: 'IssueCreateInput', gives: 'success issue { id identifier url }' },
  issueUpdate: { input: 'IssueUpdateInput', gives: 'success', id: true },
  issueRelationCreate: { input: 'IssueRelationCreateInput', gives: 'success' },
  issueRelationDelete: { gives: 'success', id: true },
  attachmentCreate: { input: 'AttachmentCreateInput', gives: 'success' },
} as const satisfies Record<string, { input?: string; gives: string; id?: boolean }>;

export interface LinearChange {
  readonly name: keyof typeof changes;
  readonly id?: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

/** Combines many changes in one request, in this order. The answer has one part for each: `a0`, `a1` … */
export function changeDocument(list: readonly LinearChange[]): {
  readonly query: string;
  readonly variables: Record<string, unknown>;
} {
  const heads: string[] = [];
  const parts: string[] = [];
  const variables: Record<string, unknown> = {};
  for (const [at, { name, id, input }] of list.entries()) {
    const shape: { input?: string; gives: string; id?: boolean } = changes[name];
    const given: string[] = [];
    if (shape.id) {
      heads.push(`$id${at}: String!`);
      given.push(`id: $id${at}`);
      variables[`id${at}`] = id;
    }
    if (shape.input) {
      heads.push(`$input${at}: ${shape.input}!`);
      given.push(`input: $input${at}`);
      variables[`input${at}`] = input;
    }
    parts.push(`  a${at}: ${name}(${given.join(', ')}) { ${shape.gives} }`);
  }
  return { query: `mutation GzaChange(${heads.join(', ')}) {\n${parts.join('\n')}\n}`, variables };
}
