/** `state_ref` → the folder of refs in which ledgers live. */
export function namespaceOf(stateRef = 'refs/tasks'): string {
  return stateRef.replace(/\/+$/, '');
}
