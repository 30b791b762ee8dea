/** The files by which a step talks to the runner, and the runner's limits on them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const kinds = ['output', 'state', 'env', 'path', 'summary'] as const;

export type StepFiles = Readonly<Record<(typeof kinds)[number], string>>;

export interface StepSaid {
  readonly outputs: Record<string, string>;
  readonly state: Record<string, string>;
  readonly env: Record<string, string>;
  readonly path: string[];
  readonly summary: string;
  /** What the runner holds against the files; each is an error annotation. */
  readonly errors: string[];
}

const summaryBytesMax = 1024 * 1024;
const outputCharactersMax = 1024 * 1024;

/** They are there, and empty, before a step starts: the toolkit refuses to write a file that is missing. */
export function createStepFiles(folder: string, step: string): StepFiles {
  const files = Object.fromEntries(kinds.map((kind) => [kind, join(folder, `${kind}-${step}`)])) as StepFiles;
  for (const kind of kinds) writeFileSync(files[kind], '');
  return files;
}

export function stepFileEnvironment(files: StepFiles): Record<string, string> {
  return {
    GITHUB_OUTPUT: files.output,
    GITHUB_STATE: files.state,
    GITHUB_ENV: files.env,
    GITHUB_PATH: files.path,
    GITHUB_STEP_SUMMARY: files.summary,
  };
}

export function readStepFiles(files: StepFiles): StepSaid {
  const errors: string[] = [];
  const read = (kind: keyof StepFiles) => {
    try {
      return parseKeyValues(readFileSync(files[kind], 'utf8'));
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
      return {};
    }
  };
  const text = readFileSync(files.summary, 'utf8');
  const bytes = Buffer.byteLength(text);
  if (bytes > summaryBytesMax)
    errors.push(
      `$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got ${Math.ceil(bytes / 1024)}k.`,
    );
  const env = read('env');
  if ('NODE_OPTIONS' in env)
    errors.push("Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.");
  const outputs = read('output');
  // Counted as UTF-16, like the runner does.
  const size = Object.values(outputs).reduce((total, value) => total + value.length * 2, 0);
  if (size > outputCharactersMax)
    errors.push(`Outputs of ${size} bytes are more than the 1 MB a job may have.`);
  return {
    outputs,
    state: read('state'),
    env,
    path: readFileSync(files.path, 'utf8').split('\n').filter(Boolean),
    summary: bytes > summaryBytesMax ? '' : text,
    errors,
  };
}

/** `name=value`, or `name<<MARK`, lines, `MARK`. */
export function parseKeyValues(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    const [, heredoc, mark] = /^([^=]+?)<<(.+)$/.exec(line) ?? [];
    if (heredoc && mark) {
      const end = lines.indexOf(mark, at + 1);
      if (end < 0) throw new Error(`Invalid value. Matching delimiter not found '${mark}'`);
      values[heredoc] = lines.slice(at + 1, end).join('\n');
      at = end;
    } else {
      const equals = line.indexOf('=');
      if (equals < 1) throw new Error(`Invalid format '${line}'`);
      values[line.slice(0, equals)] = line.slice(equals + 1);
    }
  }
  return values;
}
