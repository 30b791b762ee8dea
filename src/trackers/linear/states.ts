/** Maps a team's workflow states to states of tasks. */
import { GzaError } from '../../core/errors.ts';
import { type IssueState, issueStates } from '../../core/trackers/tracker.ts';

export interface WorkflowState {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly position: number;
}

export interface StateMap {
  /** The workflow state that a task in this state gets. */
  readonly target: ReadonlyMap<IssueState, string>;
  /** All task states that an issue in this workflow state may have. */
  means(stateId: string): IssueState[];
}

/** Linear's types, best first. A failed task waits for a person: it is neither completed nor canceled. */
const types: Record<IssueState, readonly string[]> = {
  pending: ['unstarted', 'backlog', 'triage'],
  blocked: ['unstarted', 'backlog', 'triage'],
  in_progress: ['started'],
  in_review: ['started'],
  completed: ['completed'],
  failed: ['started'],
  skipped: ['canceled'],
};

export function mapStates(
  states: readonly WorkflowState[],
  named: Readonly<Partial<Record<IssueState, string>>>,
): StateMap {
  const sorted = states.toSorted((a, b) => a.position - b.position);
  const target = new Map(
    issueStates.flatMap((state) => {
      const found = named[state] === undefined ? byType(sorted, state) : byName(sorted, state, named[state]);
      return found ? [[state, found.id] as const] : [];
    }),
  );
  const byId = new Map(states.map((one) => [one.id, one]));
  return {
    target,
    means: (stateId) => {
      const type = byId.get(stateId)?.type ?? '';
      const isTarget = [...target.values()].includes(stateId);
      // If people have several states of one type, any of them matches, unless the configuration names one.
      return issueStates.filter(
        (state) =>
          target.get(state) === stateId ||
          !target.has(state) ||
          (!isTarget && named[state] === undefined && types[state].includes(type)),
      );
    },
  };
}

function byType(states: readonly WorkflowState[], state: IssueState): WorkflowState | undefined {
  for (const type of types[state]) {
    const all = states.filter((one) => one.type === type);
    const isReview = (one: WorkflowState) => /review/i.test(one.name);
    const best = state === 'in_review' ? all.find(isReview) : all.find((one) => !isReview(one));
    if (best ?? all[0]) return best ?? all[0];
  }
  return undefined;
}

function byName(states: readonly WorkflowState[], state: IssueState, name: string): WorkflowState {
  const found = states.find((one) => one.name.toLowerCase() === name.toLowerCase() || one.id === name);
  if (found) return found;
  throw new GzaError('input', `integrations.linear.states.${state}: the team has no state "${name}"`, {
    hint: `It has: ${states.map((one) => one.name).join(', ')}.`,
  });
}
