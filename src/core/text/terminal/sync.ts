import { count } from './lists.ts';

export interface SyncSummary {
  readonly received: readonly string[];
  readonly sent: readonly string[];
  readonly merged: readonly string[];
  readonly removed: readonly string[];
  readonly dropped: readonly unknown[];
}

/** `sync`: what moved in which direction. What could not be kept as it was is told when it happens. */
export function syncText(remote: string, synced: SyncSummary): string {
  const { received, sent, merged, removed, dropped } = synced;
  const parts = [
    received.length > 0 ? `${count(received.length, 'ledger')} received` : '',
    merged.length > 0 ? `${merged.length} joined` : '',
    sent.length > 0 ? `${sent.length} sent` : '',
    removed.length > 0 ? `${removed.length} removed (folded)` : '',
    dropped.length > 0 ? `${count(dropped.length, 'change')} not kept` : '',
  ].filter((part) => part !== '');
  return `${remote}: ${parts.length > 0 ? parts.join(', ') : 'nothing to do'}`;
}
