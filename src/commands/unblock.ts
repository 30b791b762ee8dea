import { simpleChange } from './simple-changes.ts';

export const command = simpleChange({
  name: 'unblock',
  summary: 'clear what makes a task wait for a person, or a time',
  shows: 'task-a3f8: unblocked',
  event: (id) => ({ kind: 'unblock', id }),
  said: 'unblocked',
});
