/** The entry of dist/lazy.js: what start-up does not load. */
export * from '../backlog/lazy-backlog.ts';
export * from '../commands/lazy-verbs.ts';
