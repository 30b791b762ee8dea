/**
 * The text of an issue or a pull request counts as it was when somebody who may command asked for it: its author may
 * have no such right, and can edit it at any time.
 */
import type { CommentFacts } from '../api/forge.ts';
import type { Ci } from '../jobs/ci.ts';

export interface SubjectText {
  /** Empty where nobody knows what it was. */
  readonly title: string;
  readonly body: string;
}

/** Null when it was edited since, and nobody knows what it said. `body` is what it says now. */
export async function textAtCommand(
  ci: Ci,
  { subject, on, isPull, createdAt }: CommentFacts,
  body: string,
): Promise<SubjectText | null> {
  if (subject) return subject;
  const isEdited = await ci.forge().isEditedSince({ number: on, isPull }, createdAt);
  return isEdited ? null : { title: '', body };
}
