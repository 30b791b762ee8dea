/** Reads the team's open issues with a label, to import them as tasks. Their texts are untrusted. */
import { neutraliseText, removeHidden } from '../../core/markdown/neutralise.ts';
import { type Priority, titleOf } from '../../core/task/task.ts';
import { labelledQuery } from './documents.ts';
import type { OpenedLinear } from './linear-tracker.ts';
import { understood } from './linear-tracker.ts';
import { pages, readTeam } from './read.ts';

export interface LabelledIssue {
  readonly id: string;
  /** `ENG-12` */
  readonly name: string;
  readonly url: string;
  readonly title: string;
  readonly content: string;
  readonly priority: Priority | null;
  /** Ids of the parent issue and of the issues that block this one. */
  readonly parent: string | null;
  readonly blockedBy: readonly string[];
}

interface LabelledNode {
  readonly id: string;
  readonly identifier: string;
  readonly url: string;
  readonly title: string;
  readonly description: string | null;
  readonly priority: number;
  readonly parent: { readonly id: string } | null;
  readonly inverseRelations: { readonly nodes: readonly { type: string; issue: { id: string } }[] };
}

const contentCharsMax = 20_000;
const priorities: readonly (Priority | null)[] = [null, 'critical', 'high', 'medium', 'low'];

export async function labelledIssues(
  { client, settings }: OpenedLinear,
  label: string,
): Promise<LabelledIssue[]> {
  const nodes = await understood(async () => {
    const team = await readTeam(client, settings);
    return pages<LabelledNode>(client, labelledQuery, labelled(team.id, label), 'issues');
  });
  return nodes.map(issueOf);
}

function labelled(team: string, label: string) {
  return {
    team: { id: { eq: team } },
    labels: { name: { eqIgnoreCase: label } },
    state: { type: { nin: ['completed', 'canceled', 'duplicate'] } },
  };
}

function issueOf(node: LabelledNode): LabelledIssue {
  const title = titleOf(plain(node.title)) || node.identifier;
  const text = plain(node.description ?? '').trim();
  const short = text.length > contentCharsMax ? `${text.slice(0, contentCharsMax)}…` : text;
  return {
    id: node.id,
    name: node.identifier,
    url: node.url,
    title,
    content: short === '' ? title : `${title}\n\n${short}`,
    priority: priorities[node.priority] ?? null,
    parent: node.parent?.id ?? null,
    blockedBy: node.inverseRelations.nodes.flatMap(({ type, issue }) =>
      type === 'blocks' ? [issue.id] : [],
    ),
  };
}

function plain(text: string): string {
  return neutraliseText(removeHidden(text), 'body');
}
