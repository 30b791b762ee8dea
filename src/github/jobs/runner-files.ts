/**
 * How an action speaks to GitHub's runner: INPUT_ variables, files named in the environment, lines that begin with
 * `::`. The toolkit (@actions/core) does the same and brings an HTTP client and OIDC along: most of a megabyte that
 * every job would read for these few lines.
 */
import { randomUUID } from 'node:crypto';
import { appendFileSync } from 'node:fs';

type Environment = Readonly<Record<string, string | undefined>>;

/** Upper case, spaces to `_`, hyphens kept. */
export function readInput(env: Environment, name: string): string {
  return (env[`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`] ?? '').trim();
}

const outputCharactersMax = 400_000;

export function writeOutput(env: Environment, name: string, value: string): void {
  const file = env['GITHUB_OUTPUT'];
  if (file === undefined || file === '') return;
  if (value.length > outputCharactersMax) {
    throw new RangeError(
      `the output ${name} has ${value.length} characters; ${outputCharactersMax} is the limit`,
    );
  }
  const mark = `gza_${randomUUID()}`;
  appendFileSync(file, `${name}<<${mark}\n${value}\n${mark}\n`);
}

const summaryBytesMax = 1_000_000;

/** Over a mebibyte the runner throws all of it away. */
export function writeSummary(env: Environment, markdown: string): void {
  const file = env['GITHUB_STEP_SUMMARY'];
  if (file === undefined || file === '' || markdown === '') return;
  const bytes = Buffer.from(markdown);
  const isCut = bytes.length > summaryBytesMax;
  const text = isCut ? `${bytes.subarray(0, summaryBytesMax).toString('utf8')}\n\n(cut here)` : markdown;
  appendFileSync(file, `${text}\n`);
}

/** A line of the log that the runner marks. Line breaks and `::` of others cannot begin a command of their own. */
export function annotation(level: 'error' | 'warning' | 'notice', message: string): string {
  return `::${level}::${escaped(message)}\n`;
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
