/** Whole conversations of pull requests: threads on lines, comments, texts of reviews. One query for ten of them. */
import type { Said, Thread } from '../../core/review/conversation.ts';
import type { GithubClient } from './client/client.ts';
import { isBot, loginOf, present } from './pull-facts.ts';

const pullsInQueryMax = 10;

interface Words {
  readonly databaseId: number | null;
  readonly body: string;
  readonly author: { readonly __typename: string; readonly login: string } | null;
  readonly isMinimized?: boolean;
}

interface Nodes<T> {
  readonly nodes: readonly (T | null)[] | null;
}

interface Conversation {
  readonly reviewThreads: Nodes<{
    readonly isResolved: boolean;
    readonly path: string;
    readonly line: number | null;
    readonly comments: Nodes<Words>;
  }>;
  readonly comments: Nodes<Words>;
  readonly reviews: Nodes<Words> | null;
}

const words = 'databaseId body author { __typename login }';

/** The newest of each, as many as anyone reads. */
const fields = `fragment Conversation on PullRequest {
  reviewThreads(last: 100) { nodes { isResolved path line comments(first: 50) { nodes { ${words} } } } }
  comments(last: 100) { nodes { ${words} isMinimized } }
  reviews(last: 50) { nodes { ${words} isMinimized } }
}`;

export async function readConversations(
  client: GithubClient,
  pulls: readonly number[],
  ourLogin: string,
): Promise<Map<number, Thread[]>> {
  const [owner, name] = client.repository.split('/');
  const wanted = [...new Set(pulls)];
  const found = new Map<number, Thread[]>();
  for (let at = 0; at < wanted.length; at += pullsInQueryMax) {
    const part = wanted.slice(at, at + pullsInQueryMax);
    const asked = part.map((number) => `p${number}: pullRequest(number: ${number}) { ...Conversation }`);
    const { repository } = await client.graphql<{ repository: Record<string, Conversation | null> | null }>({
      operation: 'read review comments',
      query: `query ($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { ${asked.join('\n')} } }\n${fields}`,
      variables: { owner, name },
    });
    for (const number of part) {
      const one = repository?.[`p${number}`];
      if (one) found.set(number, threadsOf(one, ourLogin));
    }
  }
  return found;
}

function threadsOf({ reviewThreads, comments, reviews }: Conversation, ourLogin: string): Thread[] {
  const onLines = present(reviewThreads).map(
    ({ isResolved, path: file, line, comments: list }): Thread => ({
      kind: 'line',
      file,
      line,
      isResolved,
      said: present(list).map((one) => saidOf(one, ourLogin)),
    }),
  );
  return [
    ...onLines,
    ...present(comments).map((one) => alone('comment', one, ourLogin)),
    ...present(reviews).map((one) => alone('review', one, ourLogin)),
  ].filter(({ said }) => said.length > 0);
}

/** What was hidden by someone counts as settled. */
function alone(kind: 'comment' | 'review', one: Words, ourLogin: string): Thread {
  const said = one.body.trim() === '' ? [] : [saidOf(one, ourLogin)];
  return { kind, file: null, line: null, isResolved: one.isMinimized === true, said };
}

function saidOf({ databaseId, body, author }: Words, ourLogin: string): Said {
  const login = loginOf(author);
  return {
    id: databaseId ?? 0,
    author: login,
    isOurs: login === ourLogin,
    isBot: isBot(author),
    text: body,
  };
}
