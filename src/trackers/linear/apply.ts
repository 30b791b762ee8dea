/** Turns actions into Linear mutations, many in one request. */
import { GzaError } from '../../core/errors.ts';
import type { Priority } from '../../core/task/task.ts';
import type { IssueChange, NewIssue, TrackerAction } from '../../core/trackers/tracker.ts';
import type { Outcome } from '../tracker.ts';
import type { LinearClient } from './client.ts';
import { changeDocument, changesPerRequest, type LinearChange } from './documents.ts';
import { entityId } from './entity-id.ts';
import type { LinearNames } from './read.ts';

interface Step {
  readonly action: TrackerAction;
  readonly change: LinearChange;
}

const requestCharsMax = 200_000;

export async function applyActions(
  client: LinearClient,
  repository: string,
  names: LinearNames,
  actions: readonly TrackerAction[],
  outcome: Outcome,
): Promise<void> {
  const ids = idsAfter(repository, names, actions);
  for (const steps of batches(actions.map((action) => ({ action, change: changeOf(action, ids) })))) {
    const { query, variables } = changeDocument(steps.map(({ change }) => change));
    const answer = await client.change(query, variables);
    if (answer.kind === 'refused') {
      const step = steps[Number(answer.at?.slice(1) ?? Number.NaN)];
      if (!step)
        throw new GzaError('world', `Linear refuses a change: ${answer.why}`, { data: { isFinal: true } });
      if (isRepeat(step.action, answer.why)) outcome.done(step.action);
      else outcome.refused(step.action, answer.why);
      // The steps before the refused one were done and the later ones were not. The next read sees both.
      return;
    }
    for (const [at, { action }] of steps.entries()) {
      outcome.done(action);
      const { issue } = (answer.data[`a${at}`] ?? {}) as {
        issue?: { identifier: string; url: string } | null;
      };
      if (action.kind === 'create-issue' && issue)
        outcome.made({ task: action.task, name: issue.identifier, url: issue.url });
    }
  }
}

/** Whether the change exists already. That can happen because only the beginning of long lists is read. */
function isRepeat({ kind }: TrackerAction, why: string): boolean {
  return (kind === 'block' || kind === 'attach') && /already exists/i.test(why);
}

function* batches(steps: readonly Step[]): Generator<Step[]> {
  let batch: Step[] = [];
  let chars = 0;
  for (const step of steps) {
    const size = JSON.stringify(step.change).length;
    if (batch.length > 0 && (batch.length >= changesPerRequest || chars + size > requestCharsMax)) {
      yield batch;
      [batch, chars] = [[], 0];
    }
    batch.push(step);
    chars += size;
  }
  if (batch.length > 0) yield batch;
}

/** Ids by name, including those of things that these actions create before they use them. */
interface Ids {
  readonly team: string;
  readonly project: string | null;
  issue(task: string): string;
  milestone(name: string): string;
  label(name: string): string;
  state(state: NewIssue['state']): string | undefined;
  relation(task: string, by: string): string;
  readonly repository: string;
}

function idsAfter(repository: string, names: LinearNames, actions: readonly TrackerAction[]): Ids {
  const makesProject = actions.some(({ kind }) => kind === 'create-project');
  const own = (...parts: string[]) => entityId(repository, ...parts);
  return {
    repository,
    team: names.team.id,
    project: names.project ?? (makesProject ? own('project') : null),
    issue: (task) => names.issues.get(task) ?? own('issue', task),
    milestone: (name) => names.milestones.get(name) ?? own('milestone', name),
    label: (name) => names.labels.get(name.toLowerCase()) ?? own('label', names.team.id, name.toLowerCase()),
    state: (state) => names.team.states.target.get(state),
    relation: (task, by) => names.relations.get(`${task} ${by}`) ?? own('relation', task, by),
  };
}

function changeOf(action: TrackerAction, ids: Ids): LinearChange {
  switch (action.kind) {
    case 'create-project':
      return {
        name: 'projectCreate',
        input: { id: entityId(ids.repository, 'project'), name: action.name, teamIds: [ids.team] },
      };
    case 'create-milestone': {
      const { name, description } = action;
      const input = { id: ids.milestone(name), name, projectId: ids.project };
      return {
        name: 'projectMilestoneCreate',
        input: description === '' ? input : { ...input, description },
      };
    }
    case 'create-label':
      return {
        name: 'issueLabelCreate',
        input: { id: ids.label(action.name), name: action.name, teamId: ids.team },
      };
    case 'create-issue':
      return {
        name: 'issueCreate',
        input: { id: ids.issue(action.task), teamId: ids.team, ...newFields(action.issue, ids) },
      };
    case 'update-issue':
      return { name: 'issueUpdate', id: ids.issue(action.task), input: changedFields(action.set, ids) };
    case 'block': {
      const { task, by } = action;
      const [issueId, relatedIssueId] = [ids.issue(by), ids.issue(task)];
      return {
        name: 'issueRelationCreate',
        input: { id: ids.relation(task, by), issueId, relatedIssueId, type: 'blocks' },
      };
    }
    case 'unblock':
      return { name: 'issueRelationDelete', id: ids.relation(action.task, action.by) };
    case 'attach': {
      const { url, title } = action.link;
      const id = entityId(ids.repository, 'attachment', action.task, url);
      return { name: 'attachmentCreate', input: { id, issueId: ids.issue(action.task), url, title } };
    }
  }
}

const priorities: Record<Priority, number> = { critical: 1, high: 2, medium: 3, low: 4 };

function newFields({ title, body, state, priority, milestone, labels, parent }: NewIssue, ids: Ids) {
  const stateId = ids.state(state);
  return {
    title,
    description: body,
    ...(stateId === undefined ? {} : { stateId }),
    ...(priority ? { priority: priorities[priority] } : {}),
    ...(ids.project === null ? {} : { projectId: ids.project }),
    ...(milestone === null ? {} : { projectMilestoneId: ids.milestone(milestone) }),
    ...(labels.length === 0 ? {} : { labelIds: labels.map((label) => ids.label(label)) }),
    ...(parent === null ? {} : { parentId: ids.issue(parent) }),
  };
}

function changedFields(
  { title, body, state, milestone, parent, addLabels, removeLabels }: IssueChange,
  ids: Ids,
) {
  const stateId = state === undefined ? undefined : ids.state(state);
  return {
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { description: body }),
    ...(stateId === undefined ? {} : { stateId }),
    ...(milestone === undefined
      ? {}
      : { projectId: ids.project, projectMilestoneId: ids.milestone(milestone) }),
    ...(parent === undefined ? {} : { parentId: ids.issue(parent) }),
    ...(addLabels ? { addedLabelIds: addLabels.map((label) => ids.label(label)) } : {}),
    ...(removeLabels ? { removedLabelIds: removeLabels.map((label) => ids.label(label)) } : {}),
  };
}
