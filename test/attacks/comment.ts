import type { CommentFacts } from '../../src/github/api/forge.ts';

export function hostileComment(more: Partial<CommentFacts>): CommentFacts {
  return {
    id: 7,
    kind: 'comment',
    on: 3,
    isPull: true,
    author: 'ann',
    authorId: 1,
    isBot: false,
    text: '/gza work',
    createdAt: '2026-11-18T11:00:00.000Z',
    updatedAt: '2026-11-18T11:00:00.000Z',
    file: null,
    line: null,
    ...more,
  };
}
