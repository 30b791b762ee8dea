/** The workflow of `gza init --github` with what a page changes in it: maps are joined, all else is replaced. */
import { parse, stringify } from 'yaml';
import { callerWorkflow } from '../../src/core/text/doctor/caller-workflow.ts';

type Value = unknown;

export function changedCaller(changes: string): string {
  return stringify(join(parse(callerWorkflow({ minute: 17, branch: 'main' })) as Value, parse(changes)));
}

/** A key that is set to null goes. */
function join(old: Value, fresh: Value): Value {
  if (!isMap(old) || !isMap(fresh)) return fresh;
  const result: Record<string, Value> = { ...old };
  for (const [key, value] of Object.entries(fresh)) {
    if (value === null) delete result[key];
    else result[key] = join(old[key], value);
  }
  return result;
}

function isMap(value: Value): value is Record<string, Value> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
