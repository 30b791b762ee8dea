/**
 * What lists and schedules need of a record: everything but long texts and, once it is closed, its steps; but those
 * that show that its verdict does not hold any more.
 */

import { isChangedSince } from '../../policy/standing-verdict.ts';
import { longFields } from '../../task/task-fields.ts';
import type { StepRecord, TaskRecord } from './record.ts';

const long = [...longFields, 'notes', 'implementation_notes'] as const;

export function slimRecord(record: TaskRecord): TaskRecord {
  const slim: TaskRecord = { ...record, content: '' };
  for (const name of long) delete slim[name];
  if (slim.error) slim.error = slim.error.slice(0, 200);
  if (slim.closed_at && !isChangedSince(record)) delete slim.steps;
  else if (slim.steps) slim.steps = slim.steps.map(slimStep);
  return slim;
}

function slimStep(step: StepRecord): StepRecord {
  const slim = { ...step };
  delete slim.error;
  delete slim.session;
  delete slim.said;
  delete slim.checked;
  // Its record has them.
  delete slim.waits;
  return slim;
}
