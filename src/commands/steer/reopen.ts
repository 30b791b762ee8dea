import { reasonOption, simpleChange } from '../simple-changes.ts';

export const command = simpleChange({
  name: 'reopen',
  summary: 'open a closed task again',
  options: [reasonOption],
  shows: 'task-a3f8: reopened',
  event: (id, { reason }) => ({ kind: 'reopen', id, ...(reason ? { reason: reason as string } : {}) }),
  said: 'reopened',
  already: ({ record }) => (record?.closed_at === undefined ? 'open (already)' : undefined),
});
