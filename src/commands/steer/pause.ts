import { simpleChange } from '../simple-changes.ts';

export const command = simpleChange({
  name: 'pause',
  summary: 'hold a task back until gza unblock or gza resume',
  shows: 'task-a3f8: paused',
  event: (id) => ({ kind: 'pause', id, paused: true }),
  said: 'paused',
});
