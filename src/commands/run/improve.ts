import type { Command } from '../../app/command.ts';
import { agentOptions } from '../agent-options.ts';
import { followUp } from './follow-up.ts';

export const command: Command = {
  spec: {
    name: 'improve',
    summary: 'have the last review of a task addressed, with your guidance',
    forPeople: true,
    arguments: [
      { name: 'id', required: true, completes: 'id' },
      { name: 'guidance', many: true },
    ],
    options: [
      { name: 'review', type: 'flag', help: 'review it afterwards' },
      { name: 'offline', type: 'flag', help: 'claim here only' },
      ...agentOptions,
    ],
    examples: [
      { command: 'gza improve task-a3f8 --review "keep the old route"', shows: 'improves, then reviews' },
    ],
  },
  run: (invocation, ports) => followUp('improve', invocation, ports),
};
