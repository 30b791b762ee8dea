/** What the Linear of a test holds. */
export interface LinearIssue {
  readonly id: string;
  readonly number: number;
  readonly team: LinearTeam;
  title: string;
  description: string | null;
  priority: number;
  state: WorkflowState;
  project: LinearProject | null;
  milestone: LinearMilestone | null;
  parent: LinearIssue | null;
  labels: LinearLabel[];
  attachments: { id: string; title: string; url: string }[];
  archivedAt: string | null;
  trashed: boolean;
}

export interface WorkflowState {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly position: number;
}

export interface LinearTeam {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly states: WorkflowState[];
}

export interface LinearLabel {
  readonly id: string;
  readonly name: string;
  readonly team: LinearTeam | null;
}

export interface LinearProject {
  readonly id: string;
  name: string;
  readonly teams: LinearTeam[];
  readonly milestones: LinearMilestone[];
}

export interface LinearMilestone {
  readonly id: string;
  readonly name: string;
}

export interface LinearRelation {
  readonly id: string;
  readonly type: string;
  /** The one that blocks. */
  readonly issue: LinearIssue;
  readonly relatedIssue: LinearIssue;
}

export interface LinearState {
  readonly teams: LinearTeam[];
  readonly issues: LinearIssue[];
  readonly labels: LinearLabel[];
  readonly projects: LinearProject[];
  readonly relations: LinearRelation[];
}

export function newState(): LinearState {
  const team: LinearTeam = {
    id: '11111111-1111-4111-8111-111111111111',
    key: 'ENG',
    name: 'Engineering',
    states: (
      [
        ['Backlog', 'backlog'],
        ['Todo', 'unstarted'],
        ['In Progress', 'started'],
        ['In Review', 'started'],
        ['Done', 'completed'],
        ['Canceled', 'canceled'],
      ] as const
    ).map(([name, type], position) => ({ id: `state-${position}`, name, type, position })),
  };
  return { teams: [team], issues: [], labels: [], projects: [], relations: [] };
}
