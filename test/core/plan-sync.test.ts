import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readMark } from '../../src/core/text/github/tracker-issue.ts';
import { planSync, withoutRefused } from '../../src/core/trackers/plan-sync.ts';
import {
  actionKey,
  type Held,
  type HeldIssue,
  issueStates,
  type TrackerAction,
  type Wanted,
  type WantedIssue,
} from '../../src/core/trackers/tracker.ts';

/** A tracker that does what it is told, and refuses what cannot be. */
function apply(held: Held, actions: readonly TrackerAction[]): Held {
  const issues = new Map(held.issues.map((one) => [one.task, { ...one }]));
  const [milestones, labels] = [new Set(held.milestones), new Set(held.labels)];
  let { hasProject } = held;
  const need = (task: string) => {
    const issue = issues.get(task);
    if (!issue || issue.isAway) throw new Error(`${task} has no issue`);
    return issue;
  };
  const known = (set: ReadonlySet<string>, name: string) => {
    if (!set.has(name)) throw new Error(`${name} is not there`);
    return name;
  };
  for (const action of actions) {
    switch (action.kind) {
      case 'create-project':
        hasProject = true;
        break;
      case 'create-milestone':
        milestones.add(action.name);
        break;
      case 'create-label':
        labels.add(action.name);
        break;
      case 'create-issue': {
        if (issues.has(action.task)) throw new Error(`${action.task} is made twice`);
        const { milestone, parent, state, body } = action.issue;
        issues.set(action.task, {
          task: action.task,
          name: `T-${issues.size}`,
          url: '',
          isOurs: true,
          isAway: false,
          body,
          states: [state],
          milestone: milestone === null ? null : known(milestones, milestone),
          labels: action.issue.labels.map((label) => known(labels, label)),
          parent: parent === null ? null : need(parent).task,
          blockedBy: [],
          ourBlockedBy: [],
          links: [],
        });
        break;
      }
      case 'update-issue': {
        const issue = need(action.task);
        const { set } = action;
        if (set.body !== undefined) issue.body = set.body;
        if (set.state) issue.states = [set.state];
        if (set.milestone) issue.milestone = known(milestones, set.milestone);
        if (set.parent) issue.parent = need(set.parent).task;
        issue.labels = [
          ...issue.labels.filter((label) => !set.removeLabels?.includes(label)),
          ...(set.addLabels ?? []).map((label) => known(labels, label)),
        ];
        break;
      }
      case 'block': {
        const issue = need(action.task);
        issue.blockedBy = [...issue.blockedBy, need(action.by).task];
        issue.ourBlockedBy = [...issue.ourBlockedBy, action.by];
        break;
      }
      case 'unblock': {
        const issue = need(action.task);
        issue.blockedBy = issue.blockedBy.filter((by) => by !== action.by);
        issue.ourBlockedBy = issue.ourBlockedBy.filter((by) => by !== action.by);
        break;
      }
      case 'attach':
        need(action.task).links = [...need(action.task).links, action.link.url];
    }
  }
  return { issues: [...issues.values()], milestones: [...milestones], labels: [...labels], hasProject };
}

const ids = ['a', 'b', 'c', 'd', 'e'] as const;
const id = fc.constantFrom(...ids);
const digest = fc.constantFrom('0000000000000000', '1111111111111111');
const state = fc.constantFrom(...issueStates);
const milestone = fc.option(fc.constantFrom('M1', 'M2'));
const label = fc.constantFrom('group: x', 'group: y', 'milestone: z', 'theirs');
const bodyOf = (task: string, digest: string) => `Text\n\n\`gza:${task}:${digest}\``;

const wantedIssue = fc
  .record({
    task: id,
    mayCreate: fc.boolean(),
    digest,
    state,
    milestone,
    labels: fc.uniqueArray(label, { maxLength: 2 }),
    parent: fc.option(id),
    blockedBy: fc.array(id, { maxLength: 3 }),
    link: fc.option(fc.constant({ url: 'https://host/pull/1', title: 'Pull request #1' })),
  })
  .map(
    (one): WantedIssue => ({
      ...one,
      known: null,
      title: `Title of ${one.task}`,
      body: bodyOf(one.task, one.digest),
      priority: null,
    }),
  );
const wanted: fc.Arbitrary<Wanted> = fc.record({
  issues: fc.uniqueArray(wantedIssue, { selector: ({ task }) => task }),
  milestones: fc.constant([
    { name: 'M1', description: '' },
    { name: 'M2', description: '' },
  ]),
  project: fc.option(fc.constant('shop')),
});
const heldIssue: fc.Arbitrary<HeldIssue> = fc
  .record({
    task: id,
    isOurs: fc.boolean(),
    isAway: fc.boolean(),
    body: fc.oneof(fc.constant('Theirs'), digest),
    states: fc.uniqueArray(state, { minLength: 1, maxLength: 2 }),
    milestone,
    labels: fc.uniqueArray(label),
    parent: fc.option(id),
    blockedBy: fc.uniqueArray(id),
  })
  .map((one) => ({
    ...one,
    body: one.body === 'Theirs' ? one.body : `${bodyOf(one.task, one.body)}\n\nMore.`,
    name: one.task,
    url: '',
    ourBlockedBy: one.blockedBy.slice(1),
    links: [],
  }));
const held: fc.Arbitrary<Held> = fc.record({
  issues: fc.uniqueArray(heldIssue, { selector: ({ task }) => task }),
  milestones: fc.subarray(['M1', 'M2']),
  labels: fc.subarray(['group: x', 'group: y', 'milestone: z', 'theirs']),
  hasProject: fc.boolean(),
});

test('what a plan names is there when it is needed, and after it there is nothing left to do', () => {
  fc.assert(
    fc.property(wanted, held, (wanted, held) => {
      const actions = planSync(wanted, held);
      expect(new Set(actions.map(actionKey)).size).toBe(actions.length);
      expect(planSync(wanted, apply(held, actions))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('cut short anywhere, the next plan does the rest and nothing twice', () => {
  fc.assert(
    fc.property(wanted, held, fc.nat(), (wanted, held, at) => {
      const actions = planSync(wanted, held);
      const cut = at % (actions.length + 1);
      const half = apply(held, actions.slice(0, cut));
      const rest = planSync(wanted, half);
      const done = new Set(actions.slice(0, cut).map(actionKey));
      expect(rest.filter((action) => done.has(actionKey(action)))).toEqual([]);
      expect(planSync(wanted, apply(half, rest))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

test('what is refused is not asked for again, and what needs it does without', () => {
  fc.assert(
    fc.property(wanted, held, fc.infiniteStream(fc.boolean()), (wanted, held, refuses) => {
      const refused = planSync(wanted, held).filter(() => refuses.next().value);
      const keys = new Set(refused.map(actionKey));
      const left = planSync(withoutRefused(wanted, refused), held);
      const made = left.filter((action) => !keys.has(actionKey(action)));
      const containers = ['create-label', 'create-milestone', 'create-issue', 'create-project'];
      expect(left.filter((one) => containers.includes(one.kind) && !made.includes(one))).toEqual([]);
      apply(held, made);
    }),
  );
});

test('what people own stays: other issues’ texts, texts without a mark, what stands below it, other labels', () => {
  fc.assert(
    fc.property(wanted, held, (wanted, held) => {
      const after = new Map(apply(held, planSync(wanted, held)).issues.map((one) => [one.task, one]));
      for (const before of held.issues) {
        const now = after.get(before.task)!;
        const theirs = (labels: readonly string[]) =>
          labels.filter((one) => !/^(group|milestone): /.test(one));
        expect(theirs(now.labels)).toEqual(expect.arrayContaining(theirs(before.labels)));
        expect(readMark(now.body)?.below).toBe(readMark(before.body)?.below);
        if (before.isAway) expect(now).toEqual(before);
        if (!before.isOurs || before.body === 'Theirs') expect(now.body).toBe(before.body);
        const people = before.blockedBy.filter((by) => !before.ourBlockedBy.includes(by));
        expect(now.blockedBy).toEqual(expect.arrayContaining(people));
      }
    }),
    { numRuns: 500 },
  );
});
