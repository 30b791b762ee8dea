/** The sentence for people that begins an event's commit message. One line, at most 100 characters an event. */
import type { Event, LedgerEntry } from './event.ts';

const lengthMax = 100;

export function describeEvent(event: Event): string {
  return oneLine(sentence(event));
}

function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim();
  return line.length <= lengthMax ? line : `${line.slice(0, lengthMax - 1)}…`;
}

/** What happened; else what a join could not keep, with the reason. */
export function describeEntry({ events, dropped = [] }: Pick<LedgerEntry, 'events' | 'dropped'>): string {
  const [first] = events;
  const [lost] = dropped;
  const also = dropped.length > 0 ? `; ${dropped.length} not kept` : '';
  if (first && events.length === 1) return `${describeEvent(first)}${also}`;
  if (first) return `${events.length} events: ${describeEvent(first)}, …${also}`;
  if (!lost) return 'Nothing happened';
  const all = dropped.length === 1 ? 'Not kept' : `${dropped.length} events not kept`;
  return `${all}: ${describeEvent(lost.event)} (${oneLine(lost.why)})`;
}

function sentence(event: Event): string {
  switch (event.kind) {
    case 'add':
      return `File ${event.task.id}: ${event.task.title}`;
    case 'adopt':
      return `Take ${event.task.id} from ${event.task.file ?? 'its file'}: ${event.task.title}`;
    case 'edit':
      return `Edit ${event.id}: ${Object.keys(event.set).join(', ')}`;
    case 'note':
      return `Note on ${event.id}: ${event.text}`;
    case 'assign':
      return event.agent ? `Assign ${event.id} to ${event.agent}` : `Unassign ${event.id}`;
    case 'close':
      return `Close ${event.id} as ${event.as}${event.reason ? `: ${event.reason}` : ''}`;
    case 'link':
      return `Link ${event.id} to ${event.commit.slice(0, 12)}`;
    case 'believed-done':
      return `The agent believes that ${event.id} is done`;
    case 'reopen':
      return `Reopen ${event.id}`;
    case 'retry':
      return `Retry ${event.id}${event.from_start ? ' from the start' : ''}`;
    case 'reset':
      return `Reset the attempts of ${event.id}`;
    case 'unblock':
      return `Unblock ${event.id}`;
    case 'stop':
      return `${event.id} waits for a person: ${event.stop.detail}`;
    case 'pause':
      return `${event.paused ? 'Pause' : 'Resume'} ${event.id}`;
    case 'approve':
      return `Approve ${event.id}`;
    case 'verdict':
      return event.verdict
        ? `Set the verdict of ${event.id} to ${event.verdict}`
        : `Clear the verdict of ${event.id}`;
    case 'grant-cycle':
      return `Grant ${event.id} one more review cycle`;
    case 'split':
      return `Split ${event.id} into ${event.children.map((child) => child.id).join(', ')}`;
    case 'step':
      return `${event.id}: ${event.step.step} ended ${event.step.verdict ?? event.step.outcome}`;
    case 'pull-request':
      return `${event.id}: pull request #${event.pull_request.number} is ${event.pull_request.state}`;
    case 'open-lane':
      return `Open lane ${event.lane.branch} for ${event.tasks.map((task) => task.id).join(', ')}`;
    case 'enter-lane':
      return `${event.id} enters lane ${event.lane.branch}`;
    case 'fold':
      return `Fold lane ${event.lane.branch} (${event.how}): ${event.tasks.map((task) => task.id).join(', ')}`;
    case 'claim':
      return `${event.claim.holder} claims ${event.claim.task}`;
    case 'renew':
      return `Renew claim ${event.claim} until ${event.until}`;
    case 'release':
      return `Release claim ${event.claim}: ${event.why}`;
    case 'limit':
      return event.until
        ? `${event.agent} is rate-limited until ${event.until}`
        : `${event.agent} may run again`;
    case 'artifact':
      return `Keep ${event.path}`;
    case 'mark':
      return `Mark ${event.name}`;
    case 'rename':
      return `Rename ${event.from} to ${event.to}: the id was taken in another clone`;
  }
}
