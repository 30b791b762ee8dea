/** The comment that woke this run, as its author wrote it. */
import * as z from 'zod';
import type { CommentFacts } from '../api/forge.ts';
import type { Ci } from '../jobs/ci.ts';

const subject = { number: z.int(), title: z.string(), body: z.string().nullable() };

const commentEvent = z.object({
  action: z.literal('created'),
  comment: z.object({
    id: z.int(),
    body: z.string(),
    created_at: z.string(),
    user: z.object({ login: z.string(), id: z.int(), type: z.string() }),
    path: z.string().optional(),
  }),
  issue: z.object({ ...subject, pull_request: z.unknown().optional() }).optional(),
  pull_request: z.object(subject).optional(),
});

export function commentOfEvent({ event }: Ci): CommentFacts | null {
  if (event.name !== 'issue_comment' && event.name !== 'pull_request_review_comment') return null;
  const parsed = commentEvent.safeParse(event.payload);
  if (!parsed.success) return null;
  const { comment, issue, pull_request } = parsed.data;
  const on = issue ?? pull_request;
  const isReview = event.name === 'pull_request_review_comment';
  return {
    id: comment.id,
    kind: isReview ? 'review-comment' : 'comment',
    on: on?.number ?? 0,
    ...(on ? { subject: { title: on.title, body: on.body ?? '' } } : {}),
    isPull: isReview || issue?.pull_request !== undefined,
    author: comment.user.login,
    authorId: comment.user.id,
    isBot: comment.user.type === 'Bot',
    text: comment.body,
    createdAt: new Date(comment.created_at).toISOString(),
    updatedAt: new Date(comment.created_at).toISOString(),
    file: comment.path ?? null,
    line: null,
  };
}
