import { spoolLinesMax } from '../core/spool/spool.ts';
import { redact } from '../system/redact.ts';

/**
 * Each text in a spool by itself: a secret inside JSON may end where the JSON goes on. One line more than is read
 * stays, so that the reader sees that there were too many.
 */
export function redactSpool(text: string, secrets: readonly string[]): string {
  const lines: string[] = [];
  let kept = 0;
  for (const line of text.split('\n')) {
    const isEmpty = line.trim() === '';
    if (!isEmpty && ++kept > spoolLinesMax + 1) break;
    lines.push(isEmpty ? '' : redactLine(line, secrets));
  }
  return lines.join('\n');
}

function redactLine(line: string, secrets: readonly string[]): string {
  try {
    const clean = (_key: string, value: unknown) =>
      typeof value === 'string' ? redact(value, secrets) : value;
    return JSON.stringify(JSON.parse(line), clean);
  } catch {
    return redact(line, secrets);
  }
}
