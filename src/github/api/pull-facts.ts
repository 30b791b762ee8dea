/** Pull requests and issues from GraphQL, since only it reports who edited a body last and who closed. */
import type { IssueFacts, PullFacts } from './forge.ts';

export interface Actor {
  readonly __typename: string;
  readonly login: string;
}

export interface Nodes<T> {
  readonly nodes: readonly (T | null)[] | null;
}

interface TimelineItem {
  readonly __typename: string;
  readonly createdAt: string;
}

export interface PullNode {
  readonly id: string;
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly state: 'OPEN' | 'CLOSED' | 'MERGED';
  readonly isDraft: boolean;
  readonly headRefName: string;
  readonly headRefOid: string;
  readonly baseRefName: string;
  readonly isCrossRepository: boolean;
  readonly updatedAt: string;
  readonly mergedAt: string | null;
  readonly author: Actor | null;
  readonly editor: Actor | null;
  readonly labels: Nodes<{ readonly name: string }> | null;
  readonly timelineItems: Nodes<TimelineItem>;
}

export interface IssueNode {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  readonly state: 'OPEN' | 'CLOSED';
  readonly updatedAt: string;
  readonly author: Actor | null;
  readonly editor: Actor | null;
}

export const pullFields = `fragment Pull on PullRequest {
  id number url title body state isDraft headRefName headRefOid baseRefName isCrossRepository updatedAt mergedAt
  author { __typename login } editor { __typename login }
  labels(first: 50) { nodes { name } }
  timelineItems(last: 2, itemTypes: [CLOSED_EVENT, BASE_REF_DELETED_EVENT]) {
    nodes {
      __typename
      ... on ClosedEvent { createdAt }
      ... on BaseRefDeletedEvent { createdAt }
    }
  }
}`;

export const issueFields = `fragment Issue on Issue {
  number title body state updatedAt author { __typename login } editor { __typename login }
}`;

/** The login as REST and events write it. GraphQL leaves out `[bot]`, and deleted accounts are `ghost`. */
export function loginOf(actor: Actor | null): string {
  if (!actor) return 'ghost';
  return actor.__typename === 'Bot' && !actor.login.endsWith('[bot]') ? `${actor.login}[bot]` : actor.login;
}

export function isBot(actor: Actor | null): boolean {
  return actor?.__typename === 'Bot';
}

function editorOf({ author, editor }: Pick<PullNode, 'author' | 'editor'>): string | null {
  return editor && loginOf(editor) !== loginOf(author) ? loginOf(editor) : null;
}

export function pullFacts(node: PullNode, ourLogin: string): PullFacts {
  const events = present(node.timelineItems);
  const closed =
    node.state === 'CLOSED' ? events.findLast((one) => one.__typename === 'ClosedEvent') : undefined;
  return {
    number: node.number,
    nodeId: node.id,
    url: node.url,
    state: stateOf(node),
    branch: node.headRefName,
    base: node.baseRefName,
    headCommit: node.headRefOid,
    title: node.title,
    body: node.body,
    isOurs: loginOf(node.author) === ourLogin,
    author: loginOf(node.author),
    labels: present(node.labels).map((one) => one.name),
    bodyEditedBy: editorOf(node),
    updatedAt: node.updatedAt,
    mergedAt: node.mergedAt,
    closedWithBase:
      closed !== undefined &&
      events.some((one) => one.__typename === 'BaseRefDeletedEvent' && isWith(closed, one)),
    fromFork: node.isCrossRepository,
  };
}

/** GitHub closes a pull request within moments of deleting its base. At any other time a person did. */
function isWith(closed: TimelineItem, deleted: TimelineItem): boolean {
  const secondsAfter = (Date.parse(closed.createdAt) - Date.parse(deleted.createdAt)) / 1000;
  return secondsAfter >= -5 && secondsAfter <= 60;
}

export function issueFacts(node: IssueNode, ourLogin: string): IssueFacts {
  return {
    number: node.number,
    title: node.title,
    body: node.body,
    state: node.state === 'OPEN' ? 'open' : 'closed',
    isOurs: loginOf(node.author) === ourLogin,
    bodyEditedBy: editorOf(node),
    updatedAt: node.updatedAt,
  };
}

export function present<T>(list: Nodes<T> | null | undefined): T[] {
  return (list?.nodes ?? []).filter((one): one is T => one !== null);
}

function stateOf({ state, isDraft }: PullNode): PullFacts['state'] {
  if (state === 'MERGED') return 'merged';
  if (state === 'CLOSED') return 'closed';
  return isDraft ? 'draft' : 'open';
}
