import type { GithubClient } from './client/client.ts';
import type { LabelChange } from './forge.ts';

const labelCharactersMax = 50;

/** A request for all that are added, one for each that goes. */
export async function changeLabels(
  client: GithubClient,
  number: number,
  { add = [], remove = [] }: LabelChange,
): Promise<void> {
  if (add.length > 0) await addLabels(client, number, add);
  for (const label of remove)
    await client.find({
      operation: 'change labels',
      send: (rest, here) => rest.issues.removeLabel({ ...here, issue_number: number, name: cut(label) }),
    });
}

export async function addLabels(
  client: GithubClient,
  number: number,
  labels: readonly string[],
): Promise<void> {
  await client.must({
    operation: 'change labels',
    repeatable: true,
    send: (rest, here) => rest.issues.addLabels({ ...here, issue_number: number, labels: labels.map(cut) }),
  });
}

function cut(label: string): string {
  return [...label].slice(0, labelCharactersMax).join('').trim();
}
