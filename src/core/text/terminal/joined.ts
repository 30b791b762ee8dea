/**
 * Reports what a join of ledgers could not keep: what, why, and what to do next. The terminal and GitHub use
 * it.
 */
import { describeEvent, type Event } from '../../ledger/event.ts';
import type { DroppedEvent, Joined } from '../../ledger/joined.ts';
import { oneLine } from '../../markdown/neutralise.ts';
import { inlineText } from '../github/inline-text.ts';
import { count } from './lines.ts';

export interface JoinedLine {
  readonly said: string;
  readonly next: string;
}

export const notKeptTitle = 'Not kept when ledgers were joined';

/** A list item of the summary and the board. */
export function joinedItem({ said, next }: JoinedLine): string {
  return `- **${inlineText(said, 500)}**<br>${inlineText(next, 500)}`;
}

const shownMax = 20;

/** Does not cover unreadable ledgers, which are reported elsewhere. */
export function joinedLines(
  { dropped, renamed }: Pick<Joined, 'dropped' | 'renamed'>,
  namespace: string,
): JoinedLine[] {
  const lines = [
    ...[...renamed].map(([from, to]) => ({
      said: `${from} is now ${to}: another clone had filed a task under that id`,
      next: `gza show ${to}`,
    })),
    ...dropped.map((one) => ({
      said: `not kept: ${describeEvent(one.event)}, by ${oneLine(one.by, 60)} at ${one.event.at} (${oneLine(one.refusal.detail, 300)})`,
      next: `${nextStep(one)}; it stays in \`git log ${namespace}/${one.branch}\``,
    })),
  ];
  const more = lines.length - shownMax;
  if (more <= 0) return lines;
  const rest = { said: `${more} more changes like these`, next: `\`git log ${namespace}\` has them all` };
  return [...lines.slice(0, shownMax), rest];
}

function nextStep({ event, refusal: { why } }: DroppedEvent): string {
  const id = 'id' in event ? event.id : event.kind === 'claim' ? event.claim.task : null;
  const again = commandOf(event);
  if (id === null || again === null) return 'gza status shows how things are now';
  switch (why) {
    case 'claimed':
      return `gza agents shows who holds it; when it is free: ${again}`;
    case 'closed':
      return event.kind === 'close' ? `gza show ${id}` : `gza reopen ${id}, then ${again}`;
    case 'assigned':
      return `gza assign ${id} "" frees it, then ${again}`;
    case 'invalid':
      // The most common case: a claimed task can no longer be edited.
      return event.kind === 'edit' ? `a note still reaches its agent: gza note ${id} …` : again;
    case 'not-closed':
    case 'unknown':
    case 'exists':
    case 'not-held':
    case 'folded':
      return `gza show ${id} shows how it is now; to repeat it: ${again}`;
  }
}

/** The command that records an event; null for events that only gza records. */
function commandOf(event: Event): string | null {
  switch (event.kind) {
    case 'add':
      return `gza add ${quoted(event.task.title)}`;
    case 'note':
      return `gza note ${event.id} ${quoted(event.text)}`;
    case 'edit':
      return `gza edit ${event.id} …`;
    case 'assign':
      return `gza assign ${event.id} ${quoted(event.agent ?? '')}`;
    case 'close':
      return closingCommand(event);
    case 'pause':
      return `gza ${event.paused ? 'pause' : 'resume'} ${event.id}`;
    case 'reopen':
    case 'retry':
    case 'reset':
    case 'unblock':
    case 'approve':
    case 'stop':
    case 'split':
      return `gza ${event.kind} ${event.id}`;
    case 'grant-cycle':
      return `gza improve ${event.id}`;
    case 'claim':
      return `gza claim ${event.claim.task}`;
    default:
      return null;
  }
}

function closingCommand({ id, as }: Extract<Event, { kind: 'close' }>): string | null {
  const verbs = { done: 'done', skipped: 'skip', dropped: 'delete', failed: null, split: null } as const;
  const verb = verbs[as];
  return verb === null ? null : `gza ${verb} ${id}`;
}

const quotedMax = 200;

/** Quotes a text for a shell. A long text becomes `…`, because the history has it. */
function quoted(text: string): string {
  const line = oneLine(text, quotedMax + 1);
  return line === text && line.length <= quotedMax ? `'${line.replaceAll("'", String.raw`'\''`)}'` : '…';
}

export interface SyncSummary {
  readonly received: readonly string[];
  readonly sent: readonly string[];
  readonly merged: readonly string[];
  readonly removed: readonly string[];
  readonly dropped: readonly unknown[];
}

/** `sync`: what moved in which direction. `joinedLines` reports what a join could not keep. */
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
