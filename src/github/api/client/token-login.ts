/** Whose token it is, as REST writes it. A job's own token may not ask: null. */
import type { Asked, GithubClient } from './client.ts';

export async function tokenLogin(client: GithubClient): Promise<string | null> {
  const asked = {
    operation: 'read whose token it is',
    send: (rest, { request }) => rest.users.getAuthenticated({ request }),
  } satisfies Asked<{ login: string }>;
  const answer = await client.ask(asked);
  if (answer.status === 403 || answer.status === 404) return null;
  if (answer.status >= 300) throw client.refused(asked, answer);
  return answer.data.login;
}
