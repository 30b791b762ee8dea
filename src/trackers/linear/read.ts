/** Reads what Linear holds, in the tracker port's terms. */
import { GzaError } from '../../core/errors.ts';
import type { Held, HeldIssue, Wanted } from '../../core/trackers/tracker.ts';
import type { Data, LinearClient } from './client.ts';
import { issuesPerPage, issuesQuery, labelsQuery, projectsQuery, teamsQuery } from './documents.ts';
import { entityId, isEntityId, issueNumber } from './entity-id.ts';
import type { LinearSettings } from './linear-tracker.ts';
import { mapStates, type StateMap, type WorkflowState } from './states.ts';

export interface LinearTeam {
  readonly id: string;
  readonly key: string;
  readonly states: StateMap;
}

/** Maps gza's names to Linear's ids, as of the last read. */
export interface LinearNames {
  readonly team: LinearTeam;
  readonly project: string | null;
  readonly milestones: ReadonlyMap<string, string>;
  /** In lower case. */
  readonly labels: ReadonlyMap<string, string>;
  /** Task → id of its issue. */
  readonly issues: ReadonlyMap<string, string>;
  /** `task by` → id of the relation. */
  readonly relations: ReadonlyMap<string, string>;
}

interface Node {
  readonly id: string;
  readonly name: string;
}

export interface IssueNode {
  readonly id: string;
  readonly identifier: string;
  readonly url: string;
  readonly description: string | null;
  readonly archivedAt: string | null;
  readonly trashed: boolean | null;
  readonly state: { readonly id: string };
  readonly team: { readonly id: string };
  readonly parent: { readonly id: string } | null;
  readonly projectMilestone: Node | null;
  readonly labels: { readonly nodes: readonly Node[] };
  readonly inverseRelations: {
    readonly nodes: readonly {
      readonly id: string;
      readonly type: string;
      readonly issue: { readonly id: string };
    }[];
  };
  readonly attachments: { readonly nodes: readonly { readonly url: string }[] };
}

const pagesMax = 100;

export async function readTeam(client: LinearClient, settings: LinearSettings): Promise<LinearTeam> {
  const { team } = settings;
  const filter = isEntityId(team)
    ? { id: { eq: team } }
    : { or: [{ key: { eqIgnoreCase: team } }, { name: { eqIgnoreCase: team } }] };
  const { nodes } = (await client.look(teamsQuery, { filter }))['teams'] as {
    nodes: readonly { id: string; key: string; states: { nodes: readonly WorkflowState[] } }[];
  };
  const found = nodes.find(({ key }) => key.toLowerCase() === team.toLowerCase()) ?? nodes[0];
  if (!found)
    throw new GzaError('input', `integrations.linear.team_id: no team "${team}" is seen with this key`, {
      hint: 'It is the key before the number of an issue (ENG of ENG-12), the name or the id of a team.',
    });
  return { id: found.id, key: found.key, states: mapStates(found.states.nodes, settings.states) };
}

export async function readHeld(
  client: LinearClient,
  settings: LinearSettings,
  team: LinearTeam,
  wanted: Wanted,
): Promise<{ readonly held: Held; readonly names: LinearNames }> {
  const place = await readProject(client, settings, team, wanted);
  const labels = await readLabels(client, team, wanted);
  const nodes = await readIssues(client, settings, wanted);
  const tasks = tasksOf(nodes, settings, wanted);
  const issues = nodes.flatMap((node) => {
    const task = tasks.get(node.id);
    return task === undefined ? [] : [issueOf(node, task, { settings, team, tasks })];
  });
  const relations = new Map(
    nodes.flatMap((node) =>
      node.inverseRelations.nodes.map(({ id, issue }) => [
        `${tasks.get(node.id)} ${tasks.get(issue.id)}`,
        id,
      ]),
    ),
  );
  const ids = new Map([...tasks].map(([id, task]) => [task, id]));
  // Also includes labels that will be removed.
  for (const node of nodes)
    for (const { id, name } of node.labels.nodes)
      if (!labels.has(name.toLowerCase())) labels.set(name.toLowerCase(), id);
  return {
    held: {
      issues,
      milestones: [...place.milestones.keys()],
      labels: [...labels.keys()],
      hasProject: place.project !== null,
    },
    names: { team, ...place, labels, issues: ids, relations },
  };
}

interface ProjectNode extends Node {
  readonly projectMilestones: { readonly nodes: readonly Node[] };
}

async function readProject(
  client: LinearClient,
  settings: LinearSettings,
  team: LinearTeam,
  { project }: Wanted,
): Promise<Pick<LinearNames, 'project' | 'milestones'>> {
  if (project === null) return { project: null, milestones: new Map() };
  const own = entityId(settings.repository, 'project');
  const filter = {
    or: [
      { id: { eq: own } },
      { and: [{ name: { eq: project } }, { accessibleTeams: { some: { id: { eq: team.id } } } }] },
    ],
  };
  const { nodes } = (await client.look(projectsQuery, { filter }))['projects'] as {
    nodes: readonly ProjectNode[];
  };
  const found = nodes.find(({ id }) => id === own) ?? nodes[0];
  if (!found && !settings.createProject)
    throw new GzaError('input', `integrations.linear.project: there is no project "${project}" in Linear`, {
      hint: 'Make it there, or set create_project: true.',
    });
  const milestones = (found?.projectMilestones.nodes ?? []).map(({ id, name }) => [name, id] as const);
  return { project: found?.id ?? null, milestones: new Map(milestones) };
}

/** Labels of the team take precedence over those of the workspace. */
async function readLabels(
  client: LinearClient,
  team: LinearTeam,
  { issues }: Wanted,
): Promise<Map<string, string>> {
  const names = [...new Set(issues.flatMap((one) => one.labels))];
  if (names.length === 0) return new Map();
  const found: { id: string; name: string; team: { id: string } | null }[] = [];
  for (const some of chunks(names, 50)) {
    const name = { or: some.map((one) => ({ name: { eqIgnoreCase: one } })) };
    const of = { or: [{ team: { null: true } }, { team: { id: { eq: team.id } } }] };
    found.push(
      ...(await pages<(typeof found)[number]>(client, labelsQuery, { and: [name, of] }, 'issueLabels')),
    );
  }
  const sorted = found.toSorted((a, b) => Number(a.team !== null) - Number(b.team !== null));
  return new Map(sorted.map(({ id, name }) => [name.toLowerCase(), id]));
}

async function readIssues(
  client: LinearClient,
  settings: LinearSettings,
  { issues }: Wanted,
): Promise<IssueNode[]> {
  const ids: string[] = [];
  const numbers = new Map<string, number[]>();
  for (const one of issues) {
    const ref = refOf(one, settings);
    const number = issueNumber(ref);
    if (isEntityId(ref)) ids.push(ref);
    else if (number) numbers.set(number.team, [...(numbers.get(number.team) ?? []), number.number]);
  }
  const filters: Data[] = chunks(ids, issuesPerPage).map((some) => ({ id: { in: some } }));
  for (const [key, all] of numbers)
    for (const some of chunks(all, issuesPerPage))
      filters.push({ team: { key: { eq: key } }, number: { in: some } });
  const nodes = new Map<string, IssueNode>();
  for (const filter of filters)
    for (const node of await pages<IssueNode>(client, issuesQuery, filter, 'issues'))
      nodes.set(node.id, node);
  return [...nodes.values()];
}

/**
 * The lower-case key that identifies a task's issue: its name from the ledger, or the id that gza gives it.
 */
function refOf({ task, known }: Wanted['issues'][number], { repository }: LinearSettings): string {
  return (known ?? entityId(repository, 'issue', task)).toLowerCase();
}

/** Id of an issue → its task. */
function tasksOf(
  nodes: readonly IssueNode[],
  settings: LinearSettings,
  { issues }: Wanted,
): Map<string, string> {
  const byRef = new Map(
    nodes.flatMap((node) => [node.identifier, node.id].map((ref) => [ref.toLowerCase(), node])),
  );
  return new Map(
    issues.flatMap((one) => {
      const node = byRef.get(refOf(one, settings));
      return node ? [[node.id, one.task] as const] : [];
    }),
  );
}

interface Among {
  readonly settings: LinearSettings;
  readonly team: LinearTeam;
  readonly tasks: ReadonlyMap<string, string>;
}

function issueOf(node: IssueNode, task: string, { settings, team, tasks }: Among): HeldIssue {
  const { repository } = settings;
  const blockers = node.inverseRelations.nodes.flatMap(({ id, type, issue }) => {
    const by = tasks.get(issue.id);
    return type === 'blocks' && by !== undefined ? [{ id, by }] : [];
  });
  return {
    task,
    name: node.identifier,
    url: node.url,
    isOurs: node.id === entityId(repository, 'issue', task),
    // Another team has other workflow states, so its issues count as gone.
    isAway: node.archivedAt !== null || node.trashed === true || node.team.id !== team.id,
    body: node.description ?? '',
    states: team.states.means(node.state.id),
    milestone: node.projectMilestone?.name ?? null,
    labels: node.labels.nodes.map(({ name }) => name),
    parent: node.parent ? (tasks.get(node.parent.id) ?? null) : null,
    blockedBy: blockers.map(({ by }) => by),
    ourBlockedBy: blockers
      .filter(({ id, by }) => id === entityId(repository, 'relation', task, by))
      .map(({ by }) => by),
    links: node.attachments.nodes.map(({ url }) => url),
  };
}

/** Reads a list page by page, and reports when it is too long. */
export async function pages<T>(
  client: LinearClient,
  query: string,
  filter: Data,
  name: string,
): Promise<T[]> {
  const found: T[] = [];
  let after: string | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const data: Data = await client.look(query, after === null ? { filter } : { filter, after });
    const list = data[name] as {
      nodes: readonly T[];
      pageInfo: { hasNextPage: boolean; endCursor: string | null };
    };
    found.push(...list.nodes);
    if (!list.pageInfo.hasNextPage || list.pageInfo.endCursor === null) return found;
    after = list.pageInfo.endCursor;
  }
  throw new GzaError('world', `Linear lists more than ${pagesMax} pages of ${name}`, {
    data: { isFinal: true },
  });
}

function chunks<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, at) =>
    list.slice(at * size, (at + 1) * size),
  );
}
