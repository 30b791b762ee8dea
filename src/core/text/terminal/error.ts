import { foreseen } from '../../system-error.ts';
import type { Style } from './lines.ts';

/** An error for people: what happened, then what to do next. A bug in gza shows its stack trace. */
export function printError(thrown: unknown, style: Style): string {
  const error = foreseen(thrown);
  if (error === null) {
    const where = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    return `${style.red('Error:')} this is a bug in gza, sorry. Nothing more was changed.\n${where}\n`;
  }
  const hint = error.hint ? `\n${indent(error.hint)}` : '';
  return `${style.red('Error:')} ${error.message}${style.dim(hint)}\n`;
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}
