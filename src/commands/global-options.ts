import type { OptionSpec } from '../core/arguments/command-spec.ts';

/** Taken by every verb. */
export const globalOptions: readonly OptionSpec[] = [
  { name: 'json', type: 'flag', help: 'print JSON for scripts' },
  { name: 'help', short: 'h', type: 'flag', help: 'show this help' },
  { name: 'color', type: 'flag', help: 'colour even in a pipe; --no-color for none' },
];
