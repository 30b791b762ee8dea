import { simpleChange } from '../simple-changes.ts';

export const command = simpleChange({
  name: 'reset',
  summary: 'set the attempts of a task to 0; a failed one is open again',
  shows: 'task-a3f8: attempts reset',
  event: (id) => ({ kind: 'reset', id }),
  said: 'attempts reset',
});
