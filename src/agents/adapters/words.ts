/** A fixed part of a command line, written as one reads it. For words without spaces only. */
export function words(line: string): string[] {
  return line.split(' ');
}
