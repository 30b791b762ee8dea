import { describeEvent } from '../describe-event.ts';
import type { Event } from '../event.ts';
import type { Refusal } from '../ledger-state.ts';
import { count } from './lists.ts';

export interface SyncSummary {
  readonly received: readonly string[];
  readonly sent: readonly string[];
  readonly merged: readonly string[];
  readonly removed: readonly string[];
  readonly dropped: readonly { readonly branch: string; readonly event: Event; readonly refusal: Refusal }[];
  readonly renamed: ReadonlyMap<string, string>;
  readonly problems: readonly { readonly branch: string; readonly detail: string }[];
}

/** `sync`: what moved in which direction, and what could not be kept as it was. */
export function syncText(remote: string, synced: SyncSummary): string {
  const { received, sent, merged, removed, dropped, renamed, problems } = synced;
  const parts = [
    received.length > 0 ? `${count(received.length, 'ledger')} received` : '',
    merged.length > 0 ? `${merged.length} joined` : '',
    sent.length > 0 ? `${sent.length} sent` : '',
    removed.length > 0 ? `${removed.length} removed (folded)` : '',
  ].filter((part) => part !== '');
  return [
    ...[...renamed].map(([from, to]) => `${from} is now ${to}: another clone had filed a task under that id`),
    ...dropped.map(({ event, refusal }) => `not kept: ${describeEvent(event)} (${refusal.detail})`),
    ...problems.map(({ branch, detail }) => `warning: the ledger of ${branch}: ${detail}`),
    `${remote}: ${parts.length > 0 ? parts.join(', ') : 'nothing to do'}`,
  ].join('\n');
}
