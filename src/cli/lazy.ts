/** The entry of dist/lazy.js, which holds what start-up does not need. */
export * from '../backlog/lazy-backlog.ts';
export * from '../commands/lazy-verbs.ts';
