import { count } from './lists.ts';

export interface SyncSummary {
  readonly remote: string;
  readonly fetched: readonly string[];
  readonly pushed: readonly string[];
  readonly joined: readonly string[];
  readonly notes: readonly string[];
}

/** `sync`: what moved in which direction, and what could not be kept as it was. */
export function syncText({ remote, fetched, pushed, joined, notes }: SyncSummary): string {
  const parts = [
    fetched.length > 0 ? `${count(fetched.length, 'ledger')} fetched` : '',
    joined.length > 0 ? `${joined.length} joined` : '',
    pushed.length > 0 ? `${pushed.length} pushed` : '',
  ].filter((part) => part !== '');
  const sum = parts.length > 0 ? parts.join(', ') : 'nothing to do';
  return [...notes, `${remote}: ${sum}`].join('\n');
}
