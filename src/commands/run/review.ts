import type { Command } from '../../app/command.ts';
import { agentOptions } from '../agent-options.ts';
import { followUp } from './follow-up.ts';

export const command: Command = {
  spec: {
    name: 'review',
    summary: 'have the work of a task reviewed now',
    forPeople: true,
    arguments: [
      { name: 'id', required: true, completes: 'id' },
      { name: 'guidance', many: true },
    ],
    options: [{ name: 'offline', type: 'flag', help: 'claim here only' }, ...agentOptions],
    examples: [{ command: 'gza review task-a3f8 --codex', shows: 'a fresh review, by Codex' }],
  },
  run: (invocation, ports) => followUp('review', invocation, ports),
};
