/**
 * One review with its comments. GitHub refuses the whole review when one comment stands on a line that the diff does
 * not show, so the diff is asked first; and when it is refused all the same (the head moved), everything goes into
 * the body rather than being lost.
 */
import { GzaError, isGzaError } from '../../core/errors.ts';
import { linesInDiff } from '../../core/review/lines-in-diff.ts';
import { type PlacedComment, reviewBody } from '../../core/text/github/review-comment.ts';
import type { Asked, GithubClient } from './client/client.ts';
import { wordsOf } from './client/explain.ts';
import type { ReviewPosted, ReviewWanted } from './forge.ts';

const inlineMax = 30;
const filesMax = 1000;
const bodyCharactersMax = 65_000;

export async function postReview(
  client: GithubClient,
  number: number,
  wanted: ReviewWanted,
  ourLogin: string,
): Promise<ReviewPosted> {
  const { inline, rest } = await place(client, number, wanted.comments);
  const first = asReview(wanted, inline, rest);
  const answer = await send(client, number, first, ourLogin);
  if (answer.kind === 'posted') return { id: answer.id, ...counts(first) };
  // Refused: nothing was written. The words go in without places, and without a commit that is no longer there.
  const hasCommit = !/commit.* not part|commit_id/i.test(answer.words);
  if (inline.length === 0 && hasCommit) throw answer.error;
  const second = asReview(wanted, [], [...inline, ...rest], hasCommit);
  const again = await send(client, number, second, ourLogin);
  if (again.kind === 'posted') return { id: again.id, ...counts(second) };
  throw again.error;
}

interface Placed {
  readonly inline: readonly PlacedComment[];
  readonly rest: readonly PlacedComment[];
}

async function place(
  client: GithubClient,
  number: number,
  comments: readonly PlacedComment[],
): Promise<Placed> {
  if (comments.length === 0) return { inline: [], rest: [] };
  const { items } = await client.list(
    {
      operation: 'read the files of a pull request',
      pages: (rest, here) => [rest.pulls.listFiles, { ...here, pull_number: number }],
    },
    { itemsMax: filesMax },
  );
  const shown = new Map(items.map((file) => [file.filename, linesInDiff(file.patch ?? '')]));
  const inline: PlacedComment[] = [];
  const rest: PlacedComment[] = [];
  for (const one of comments) {
    const fits = inline.length < inlineMax && shown.get(one.path)?.has(one.line);
    (fits ? inline : rest).push(one);
  }
  return { inline, rest };
}

interface Prepared {
  readonly review: {
    readonly event: 'COMMENT';
    readonly body: string;
    readonly commit_id?: string;
    readonly comments?: { path: string; line: number; side: string; body: string }[];
  };
  readonly text: string;
  readonly inline: number;
  readonly inBody: number;
  readonly dropped: number;
}

function asReview(
  { commit, body }: ReviewWanted,
  inline: readonly PlacedComment[],
  rest: readonly PlacedComment[],
  hasCommit = true,
): Prepared {
  const { text, dropped } = reviewBody(body, rest, bodyCharactersMax);
  const comments = inline.map((one) => ({
    path: one.path,
    line: one.line,
    side: 'RIGHT',
    body: one.body.slice(0, bodyCharactersMax),
  }));
  return {
    review: {
      event: 'COMMENT',
      body: text,
      ...(hasCommit ? { commit_id: commit } : {}),
      ...(comments.length > 0 ? { comments } : {}),
    },
    text,
    inline: inline.length,
    inBody: rest.length - dropped,
    dropped,
  };
}

function counts({ inline, inBody, dropped }: Prepared) {
  return { inline, inBody, dropped };
}

type Sent =
  | { readonly kind: 'posted'; readonly id: number }
  | { readonly kind: 'refused'; readonly words: string; readonly error: GzaError };

async function send(
  client: GithubClient,
  number: number,
  { review, text }: Prepared,
  ourLogin: string,
): Promise<Sent> {
  const asked: Asked<{ readonly id: number }> = {
    operation: 'post a review',
    send: (rest, here) => rest.pulls.createReview({ ...here, pull_number: number, ...review }),
  };
  try {
    const answer = await client.ask(asked);
    if (answer.status < 300) return { kind: 'posted', id: answer.data.id };
    const error = client.refused(asked, answer);
    if (answer.status !== 422) throw error;
    return { kind: 'refused', words: wordsOf(answer), error };
  } catch (error) {
    const id =
      isGzaError(error) && error.data['isLost'] ? await findPosted(client, number, text, ourLogin) : null;
    if (id === null) throw error;
    return { kind: 'posted', id };
  }
}

/** The answer was lost: did it arrive? */
async function findPosted(
  client: GithubClient,
  number: number,
  text: string,
  ourLogin: string,
): Promise<number | null> {
  const { items } = await client.list(
    {
      operation: 'read pull requests',
      pages: (rest, here) => [rest.pulls.listReviews, { ...here, pull_number: number }],
    },
    { itemsMax: 300 },
  );
  return items.findLast((one) => one.user?.login === ourLogin && one.body === text)?.id ?? null;
}
