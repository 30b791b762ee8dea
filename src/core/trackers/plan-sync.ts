/**
 * Decides what must be done in a tracker so that it shows the tasks as they are. Nothing is remembered
 * between two syncs, as each works on the whole difference: an outage only makes the next one larger, and a
 * sync right after another does nothing.
 *
 * 1. gza writes the text of an issue as long as its mark is in it and names another text. What people write
 *    below the mark stays; whoever removes the mark takes the text over.
 * 2. State, blockers and links always follow the tasks. Only labels with gza's own prefixes are ever removed.
 * 3. An issue that gza did not create keeps its title, text, labels and place.
 */
import { groupBy } from '../shape.ts';
import { ownLabelPrefixes, readMark } from '../text/github/tracker-issue.ts';
import type {
  Held,
  HeldIssue,
  IssueChange,
  TrackerAction,
  TrackerLink,
  Wanted,
  WantedIssue,
} from './tracker.ts';

export function planSync(wanted: Wanted, held: Held): TrackerAction[] {
  const there = heldByTask(held);
  const shown = new Set(
    wanted.issues.flatMap(({ task, mayCreate }) =>
      (there.has(task) ? !there.get(task)!.isAway : mayCreate) ? [task] : [],
    ),
  );
  const all = withParents(wanted.issues.filter(({ task }) => shown.has(task)));
  const fresh = parentsFirst(all.filter(({ task }) => !there.has(task)));
  const old = all.flatMap((one) => {
    const issue = there.get(one.task);
    return issue ? [{ one, issue }] : [];
  });
  const created = fresh.map(newIssue);
  const updated = old.flatMap(({ one, issue }) => update(one, issue));
  return [
    ...containers(wanted, held, [...created, ...updated]),
    ...created,
    ...updated,
    ...fresh.flatMap((one) => relations(one, null, shown)),
    ...old.flatMap(({ one, issue }) => relations(one, issue, shown)),
  ];
}

/** What the tracker refused is not requested again, and issues that need it do without. */
export function withoutRefused(wanted: Wanted, refused: readonly TrackerAction[]): Wanted {
  const names = (kind: 'create-label' | 'create-milestone') =>
    new Set(refused.flatMap((one) => (one.kind === kind ? one.name : [])));
  const [labels, milestones] = [names('create-label'), names('create-milestone')];
  const tasks = new Set(refused.flatMap((one) => (one.kind === 'create-issue' ? one.task : [])));
  const isPlaceless = refused.some(({ kind }) => kind === 'create-project');
  return {
    ...wanted,
    project: isPlaceless ? null : wanted.project,
    issues: wanted.issues
      .filter(({ task }) => !tasks.has(task))
      .map((one) => ({
        ...one,
        labels: one.labels.filter((label) => !labels.has(label)),
        milestone: isPlaceless || milestones.has(one.milestone ?? '') ? null : one.milestone,
      })),
  };
}

/** If several issues belong to one task, the first counts: a lost answer may have left two. */
function heldByTask({ issues }: Held): Map<string, HeldIssue> {
  const all = groupBy(issues, ({ task }) => task);
  return new Map([...all].map(([task, list]) => [task, list[0]!]));
}

/** Creates only what an issue is to be put into. */
function containers(wanted: Wanted, held: Held, actions: readonly TrackerAction[]): TrackerAction[] {
  const milestones = new Set<string>();
  const labels = new Set<string>();
  for (const action of actions) {
    const place =
      action.kind === 'create-issue' ? action.issue : action.kind === 'update-issue' ? action.set : {};
    if (place.milestone) milestones.add(place.milestone);
    const added = 'labels' in place ? place.labels : 'addLabels' in place ? place.addLabels : [];
    for (const label of added ?? []) labels.add(label);
  }
  const has = (list: readonly string[], name: string) =>
    list.some((one) => one.toLowerCase() === name.toLowerCase());
  const isUsed = milestones.size > 0 || actions.some(({ kind }) => kind === 'create-issue');
  const isProjectWanted = wanted.project !== null && !held.hasProject && isUsed;
  return [
    ...(isProjectWanted ? [{ kind: 'create-project', name: wanted.project } as const] : []),
    ...wanted.milestones
      .filter(({ name }) => milestones.has(name) && !held.milestones.includes(name))
      .map((one) => ({ kind: 'create-milestone', ...one }) as const),
    ...[...labels]
      .filter((name) => !has(held.labels, name))
      .map((name) => ({ kind: 'create-label', name }) as const),
  ];
}

/** Keeps only parents that are shown; tasks that are their own ancestors get none. */
function withParents(issues: readonly WantedIssue[]): WantedIssue[] {
  const parents = new Map(issues.map(({ task, parent }) => [task, parent]));
  return issues.map((one) => {
    const { task, parent } = one;
    if (parent === null) return one;
    const seen = new Set<string>();
    let at: string | null | undefined = parent;
    while (at && at !== task && !seen.has(at)) {
      seen.add(at);
      at = parents.get(at);
    }
    // A loop further up is broken at its own members.
    return parents.has(parent) && at !== task ? one : { ...one, parent: null };
  });
}

/** Puts each issue after its parent, because that must be created first. */
function parentsFirst(issues: readonly WantedIssue[]): WantedIssue[] {
  const byTask = new Map(issues.map((one) => [one.task, one]));
  const sorted = new Map<string, WantedIssue>();
  for (const one of issues) {
    const chain: WantedIssue[] = [];
    let at: WantedIssue | undefined = one;
    while (at && !sorted.has(at.task)) {
      chain.push(at);
      at = at.parent === null ? undefined : byTask.get(at.parent);
    }
    for (const link of chain.toReversed()) sorted.set(link.task, link);
  }
  return [...sorted.values()];
}

function newIssue(one: WantedIssue): TrackerAction {
  const { task, title, body, state, priority, milestone, labels, parent } = one;
  return {
    kind: 'create-issue',
    task,
    issue: { title, body, state, priority, milestone, labels, parent },
  };
}

function update(one: WantedIssue, issue: HeldIssue): TrackerAction[] {
  const set: IssueChange = {
    ...(issue.states.includes(one.state) ? {} : { state: one.state }),
    ...(issue.isOurs ? ownedChanges(one, issue) : {}),
  };
  return Object.keys(set).length === 0 ? [] : [{ kind: 'update-issue', task: one.task, set }];
}

function ownedChanges(one: WantedIssue, issue: HeldIssue): IssueChange {
  const mark = readMark(issue.body);
  const has = (list: readonly string[], label: string) =>
    list.some((other) => other.toLowerCase() === label.toLowerCase());
  const addLabels = one.labels.filter((label) => !has(issue.labels, label));
  const removeLabels = issue.labels.filter(
    (label) => ownLabelPrefixes.some((prefix) => label.startsWith(prefix)) && !has(one.labels, label),
  );
  const { parent } = one;
  return {
    ...(mark && mark.digest !== one.digest ? { title: one.title, body: `${one.body}${mark.below}` } : {}),
    ...(one.milestone !== null && one.milestone !== issue.milestone ? { milestone: one.milestone } : {}),
    ...(parent !== null && parent !== issue.parent ? { parent } : {}),
    ...(addLabels.length > 0 ? { addLabels } : {}),
    ...(removeLabels.length > 0 ? { removeLabels } : {}),
  };
}

function relations(one: WantedIssue, issue: HeldIssue | null, shown: ReadonlySet<string>): TrackerAction[] {
  const { task } = one;
  const wanted = [...new Set(one.blockedBy)].filter((by) => by !== task && shown.has(by));
  const added = wanted.filter((by) => !issue?.blockedBy.includes(by));
  const removed = (issue?.ourBlockedBy ?? []).filter((by) => !one.blockedBy.includes(by));
  const isLinked = (link: TrackerLink) => issue?.links.includes(link.url) ?? false;
  return [
    ...added.map((by) => ({ kind: 'block', task, by }) as const),
    ...removed.map((by) => ({ kind: 'unblock', task, by }) as const),
    ...(one.link && !isLinked(one.link) ? [{ kind: 'attach', task, link: one.link } as const] : []),
  ];
}
