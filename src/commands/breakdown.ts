import type { Command } from './command.ts';

export const command: Command = {
  spec: { name: 'breakdown', summary: 'not yet', arguments: [], options: [], examples: [] },
  run: async () => ({ json: null, text: '' }),
};
