import type { Ports } from './command.ts';

/** The agent that runs this, if one does. */
export function agentName(ports: Pick<Ports, 'env'>): string | undefined {
  return ports.env['GZA_AGENT'] || ports.env['ZAGI_AGENT'] || undefined;
}
