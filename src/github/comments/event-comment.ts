/** The comment, or the summary of a review, that woke this run, as its author wrote it. */
import * as z from 'zod';
import type { CommentFacts } from '../api/forge.ts';
import type { Ci } from '../jobs/ci.ts';

const subject = { number: z.int(), title: z.string(), body: z.string().nullable() };
const words = {
  id: z.int(),
  node_id: z.string().optional(),
  body: z.string(),
  user: z.object({ login: z.string(), id: z.int(), type: z.string() }),
  author_association: z.string().optional(),
};

const commentEvent = z.object({
  action: z.enum(['created', 'submitted']),
  comment: z.object({ ...words, created_at: z.string(), path: z.string().optional() }).optional(),
  review: z.object({ ...words, submitted_at: z.string() }).optional(),
  issue: z.object({ ...subject, pull_request: z.unknown().optional() }).optional(),
  pull_request: z.object(subject).optional(),
});

const kinds: Readonly<Record<string, CommentFacts['kind']>> = {
  issue_comment: 'comment',
  pull_request_review_comment: 'review-comment',
  pull_request_review: 'review',
};

export function commentOfEvent({ event }: Ci): CommentFacts | null {
  const kind = kinds[event.name];
  const parsed = commentEvent.safeParse(event.payload).data;
  const said = parsed?.comment ?? parsed?.review;
  if (kind === undefined || !parsed || !said) return null;
  const { comment, review, issue, pull_request } = parsed;
  const on = issue ?? pull_request;
  const at = new Date(comment?.created_at ?? review?.submitted_at ?? 0).toISOString();
  return {
    id: said.id,
    kind,
    ...(said.node_id === undefined ? {} : { nodeId: said.node_id }),
    on: on?.number ?? 0,
    ...(on ? { subject: { title: on.title, body: on.body ?? '' } } : {}),
    isPull: kind !== 'comment' || issue?.pull_request !== undefined,
    author: said.user.login,
    authorId: said.user.id,
    isBot: said.user.type === 'Bot',
    text: said.body,
    createdAt: at,
    updatedAt: at,
    file: comment?.path ?? null,
    line: null,
  };
}

/** Whether GitHub's event says that its author belongs to the repository; of some who do it does not. */
export function isOfMember({ event }: Ci): boolean {
  const parsed = commentEvent.safeParse(event.payload).data;
  const { author_association = '' } = parsed?.comment ?? parsed?.review ?? {};
  return ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(author_association);
}
