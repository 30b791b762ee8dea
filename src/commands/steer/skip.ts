import { reasonOption, simpleChange } from '../simple-changes.ts';

export const command = simpleChange({
  name: 'skip',
  summary: 'close a task that was done elsewhere; its dependents may go on',
  options: [reasonOption],
  shows: 'task-a3f8: skipped',
  event: (id, { reason }) => ({
    kind: 'close',
    id,
    as: 'skipped',
    ...(reason ? { reason: reason as string } : {}),
  }),
  said: 'skipped',
  already: ({ record }) => (record?.closed_as === 'skipped' ? 'skipped (already)' : undefined),
});
