import type { AgentEvent, ToolPhase } from './agents.ts';

const detailCharsMax = 160;

/** One event as a person wants to see it go by; undefined for what is only of use to the program. */
export function printEvent(event: AgentEvent): string | undefined {
  switch (event.kind) {
    case 'text':
      return event.text;
    case 'tool':
      return toolLine(event.name, event.phase, event.detail);
    case 'retry':
      return event.status === undefined ? '(retrying)' : `(retrying after ${event.status})`;
    case 'error':
      return `error: ${event.message}`;
    case 'session':
    case 'turn':
    case 'usage':
      return undefined;
  }
}

function toolLine(name: string, phase: ToolPhase, detail: string | undefined) {
  const line = detail?.split('\n')[0] ?? '';
  const short = line.length > detailCharsMax ? `${line.slice(0, detailCharsMax)}…` : line;
  const what = short ? `${name}: ${short}` : name;
  switch (phase) {
    case 'start':
      return `> ${what}`;
    case 'error':
      return `> ${what} (failed)`;
    case 'denied':
      return `> ${what} (denied)`;
    case 'ok':
      // Agents that announce a tool before it runs need no second line; the others tell what it was.
      return detail === undefined ? undefined : `> ${what}`;
  }
}
