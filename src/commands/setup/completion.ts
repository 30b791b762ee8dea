import type { Command } from '../../app/command.ts';
import { GzaError } from '../../core/errors.ts';
import { completionScript, type Shell, shells } from '../../core/text/help/completion.ts';
import { verbs } from '../commands.ts';
import { globalOptions } from '../global-options.ts';

export const command: Command = {
  spec: {
    name: 'completion',
    summary: 'a completion script for your shell',
    arguments: [{ name: 'shell', required: true }],
    options: [],
    examples: [{ command: 'source <(gza completion bash)', shows: 'in ~/.bashrc; zsh and fish alike' }],
  },
  run: async ({ args }) => {
    const shell = args[0] as Shell;
    if (!shells.includes(shell)) {
      throw new GzaError('usage', `completion knows ${shells.join(', ')}; found "${shell}"`);
    }
    const specs = await Promise.all(verbs.map(async (verb) => (await verb.load()).command.spec));
    const text = completionScript(shell, { specs, globals: globalOptions });
    return { json: { shell, script: text }, text };
  },
};
