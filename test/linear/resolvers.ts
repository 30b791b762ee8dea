/** Linear's own schema over the state. What is not modelled is not answered: a field without a value fails the request. */
import { randomUUID } from 'node:crypto';
import { GraphQLError } from 'graphql';
import type { LinearIssue, LinearLabel, LinearProject, LinearState } from './state.ts';

type Filter = Readonly<Record<string, unknown>>;

interface Page {
  readonly first?: number;
  readonly after?: string;
  readonly filter?: Filter;
  readonly includeArchived?: boolean;
}

/** A comparator, a filter of the object behind a field, or one of a collection. */
function fits(value: unknown, filter: Filter): boolean {
  return Object.entries(filter).every(([name, wanted]) => {
    switch (name) {
      case 'and':
        return (wanted as Filter[]).every((one) => fits(value, one));
      case 'or':
        return (wanted as Filter[]).some((one) => fits(value, one));
      case 'eq':
        return value === wanted;
      case 'eqIgnoreCase':
        return String(value).toLowerCase() === String(wanted).toLowerCase();
      case 'in':
        return (wanted as unknown[]).includes(value);
      case 'nin':
        return !(wanted as unknown[]).includes(value);
      case 'null':
        return (value === null) === wanted;
      case 'some':
        return (value as unknown[]).some((one) => fits(one, wanted as Filter));
      default: {
        if (value === null || value === undefined) return false;
        const members = Array.isArray(value) ? value : [value];
        const field = name === 'accessibleTeams' ? 'teams' : name;
        return members.some((one) => fits((one as Record<string, unknown>)[field], wanted as Filter));
      }
    }
  });
}

function connection<T>(list: readonly T[], { first = 50, after, filter }: Page) {
  if (first > 250) throw wrong('Argument Validation Error: first is at most 250');
  const found = filter ? list.filter((one) => fits(one, filter)) : list;
  const start = after ? Number(after) : 0;
  const nodes = found.slice(start, start + first);
  const end = start + nodes.length;
  return {
    nodes,
    pageInfo: { hasNextPage: end < found.length, endCursor: nodes.length > 0 ? String(end) : null },
  };
}

function wrong(message: string): GraphQLError {
  return new GraphQLError(message, {
    extensions: { code: 'INPUT_ERROR', userError: true, userPresentableMessage: message },
  });
}

function issueValue(state: LinearState, one: LinearIssue): Record<string, unknown> {
  const name = `${one.team.key}-${one.number}`;
  return {
    ...one,
    identifier: name,
    url: `https://linear.app/acme/issue/${name}`,
    projectMilestone: one.milestone,
    parent: () => (one.parent ? issueValue(state, one.parent) : null),
    team: one.team,
    labels: (page: Page) => connection(one.labels, page),
    attachments: (page: Page) => connection(one.attachments, page),
    inverseRelations: (page: Page) =>
      connection(
        state.relations
          .filter(({ relatedIssue }) => relatedIssue === one)
          .map((relation) => ({ ...relation, issue: () => issueValue(state, relation.issue) })),
        page,
      ),
  };
}

export function resolvers(state: LinearState) {
  return { ...queries(state), ...mutations(state) };
}

function queries(state: LinearState) {
  return {
    teams: (page: Page) =>
      connection(
        state.teams
          .filter((one) => fits(one, page.filter ?? {}))
          .map((one) => ({
            ...one,
            states: (inner: Page) => connection(one.states, inner),
          })),
        { ...page, filter: {} },
      ),
    projects: (page: Page) =>
      connection(
        state.projects
          .filter((one) => fits(one, page.filter ?? {}))
          .map((one) => ({
            ...one,
            projectMilestones: (inner: Page) => connection(one.milestones, inner),
          })),
        { ...page, filter: {} },
      ),
    issueLabels: (page: Page) => connection(state.labels, page),
    issues: (page: Page) => {
      const found = state.issues
        .filter((one) => page.includeArchived === true || one.archivedAt === null)
        .filter((one) => fits(one, page.filter ?? {}));
      return connection(
        found.map((one) => issueValue(state, one)),
        { ...page, filter: {} },
      );
    },
  };
}

interface With<T> {
  readonly input: T & { readonly id?: string };
}

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function mutations(state: LinearState) {
  const taken = () =>
    [state.issues, state.labels, state.projects, state.relations]
      .flat()
      .concat(state.projects.flatMap((one) => one.milestones) as never)
      .map(({ id }) => id);
  const newId = (id: string | undefined) => {
    if (id === undefined) return randomUUID();
    if (!uuid4.test(id)) throw wrong('Argument Validation Error: id must be a UUID');
    if (taken().includes(id)) throw wrong('Entity already exists');
    return id;
  };
  const find = <T extends { readonly id: string }>(list: readonly T[], id: string, what: string): T => {
    const found = list.find((one) => one.id === id);
    if (!found) throw wrong(`Entity not found: ${what}`);
    return found;
  };
  const labelsOf = (ids: readonly string[] | undefined): LinearLabel[] =>
    (ids ?? []).map((id) => find(state.labels, id, 'IssueLabel'));
  const place = (issue: LinearIssue, input: Record<string, unknown>) => {
    if (typeof input['title'] === 'string') issue.title = input['title'];
    if (typeof input['description'] === 'string') issue.description = rewritten(input['description']);
    if (typeof input['stateId'] === 'string')
      issue.state = find(issue.team.states, input['stateId'], 'WorkflowState');
    if (typeof input['projectId'] === 'string')
      issue.project = find(state.projects, input['projectId'], 'Project');
    if (typeof input['projectMilestoneId'] === 'string') {
      if (!issue.project) throw wrong('Discrepancy between issue project and milestone');
      issue.milestone = find(issue.project.milestones, input['projectMilestoneId'], 'ProjectMilestone');
    }
    if (typeof input['parentId'] === 'string') issue.parent = find(state.issues, input['parentId'], 'Issue');
    for (let at = issue.parent; at; at = at.parent) if (at === issue) throw wrong('Circular parent');
  };
  return {
    projectCreate({ input }: With<{ name: string; teamIds: string[] }>) {
      const teams = input.teamIds.map((id) => find(state.teams, id, 'Team'));
      state.projects.push({ id: newId(input.id), name: input.name, teams, milestones: [] });
      return { success: true };
    },
    projectMilestoneCreate({ input }: With<{ name: string; projectId: string }>) {
      const project: LinearProject = find(state.projects, input.projectId, 'Project');
      project.milestones.push({ id: newId(input.id), name: input.name });
      return { success: true };
    },
    issueLabelCreate({ input }: With<{ name: string; teamId?: string }>) {
      if (state.labels.some((one) => one.name.toLowerCase() === input.name.toLowerCase()))
        throw wrong('duplicate label name');
      const team = input.teamId ? find(state.teams, input.teamId, 'Team') : null;
      const label: LinearLabel = { id: newId(input.id), name: input.name, team };
      state.labels.push(label);
      return { success: true, issueLabel: label };
    },
    issueCreate({ input }: With<Record<string, unknown> & { teamId: string; labelIds?: string[] }>) {
      const team = find(state.teams, input.teamId, 'Team');
      if (typeof input['title'] !== 'string' || input['title'] === '') throw wrong('title is required');
      const issue: LinearIssue = {
        id: newId(input.id),
        number: state.issues.length + 1,
        team,
        title: '',
        description: null,
        priority: Number(input['priority'] ?? 0),
        state: team.states[0]!,
        project: null,
        milestone: null,
        parent: null,
        labels: labelsOf(input.labelIds),
        attachments: [],
        archivedAt: null,
        trashed: false,
      };
      place(issue, input);
      state.issues.push(issue);
      return { success: true, issue: issueValue(state, issue) };
    },
    issueUpdate({
      id,
      input,
    }: With<Record<string, unknown> & { addedLabelIds?: string[]; removedLabelIds?: string[] }> & {
      id: string;
    }) {
      const issue = find(state.issues, id, 'Issue');
      place(issue, input);
      const gone = labelsOf(input.removedLabelIds);
      issue.labels = [...issue.labels.filter((one) => !gone.includes(one)), ...labelsOf(input.addedLabelIds)];
      return { success: true, issue: issueValue(state, issue) };
    },
    issueRelationCreate({ input }: With<{ issueId: string; relatedIssueId: string; type: string }>) {
      const issue = find(state.issues, input.issueId, 'Issue');
      const relatedIssue = find(state.issues, input.relatedIssueId, 'Issue');
      state.relations.push({ id: newId(input.id), type: input.type, issue, relatedIssue });
      return { success: true };
    },
    issueRelationDelete({ id }: { id: string }) {
      state.relations.splice(state.relations.indexOf(find(state.relations, id, 'IssueRelation')), 1);
      return { success: true };
    },
    attachmentCreate({ input }: With<{ issueId: string; url: string; title: string }>) {
      const issue = find(state.issues, input.issueId, 'Issue');
      const same = issue.attachments.find(({ url }) => url === input.url);
      if (same) same.title = input.title;
      else issue.attachments.push({ id: newId(input.id), title: input.title, url: input.url });
      return { success: true };
    },
  };
}

/** Linear keeps documents, not Markdown: what comes back is written in its own manner. */
function rewritten(markdown: string): string {
  return markdown
    .replaceAll(/^- /gm, '* ')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
