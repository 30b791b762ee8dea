/**
 * Talks to GitHub's runner with GitHub's own toolkit, within limits. On each call the toolkit looks for
 * inputs and the runner's files in environment variables. They are removed at the start, so that no later
 * program inherits them, and restored only during a call of the toolkit, which starts no programs.
 */
import { appendFileSync } from 'node:fs';
import * as core from '@actions/core';
import { GzaError } from '../core/errors.ts';

export interface Toolkit {
  /** An input of the action, trimmed; empty when it was not given. */
  readonly input: (name: string) => string;
  readonly output: (name: string, value: string) => void;
  /** Collected until `writeSummary`. */
  readonly summary: (markdown: string) => void;
  readonly writeSummary: () => Promise<void>;
  /** Makes the runner print asterisks instead of the secret. */
  readonly mask: (secret: string) => void;
  readonly warn: (message: string) => void;
  readonly error: (message: string) => void;
  /** Folds everything that is printed during `work` under one line of the log. */
  readonly group: <T>(title: string, work: () => Promise<T>) => Promise<T>;
}

const ofThisStep = /^(ACTIONS_|INPUT_|GITHUB_(ENV|PATH|STATE|OUTPUT|STEP_SUMMARY)$)/;
const outputCharactersMax = 400_000;
const summaryBytesMax = 1_000_000;

export function openToolkit(): Toolkit {
  const taken = Object.entries(process.env).filter(([name]) => ofThisStep.test(name));
  const takeBack = () => {
    for (const [name] of taken) delete process.env[name];
  };
  const lend = <T>(call: () => T): T => {
    Object.assign(process.env, Object.fromEntries(taken));
    try {
      return call();
    } finally {
      takeBack();
    }
  };
  const fileOf = (name: string) => taken.find(([one]) => one === name)?.[1] ?? '';
  const outputs = fileOf('GITHUB_OUTPUT');
  const summaries = fileOf('GITHUB_STEP_SUMMARY');
  takeBack();
  return {
    input: (name) => lend(() => core.getInput(name)),
    output(name, value) {
      if (outputs === '') return;
      if (value.length > outputCharactersMax)
        throw new GzaError(
          'world',
          `the output ${name} has ${value.length} characters; ${outputCharactersMax} is the limit`,
        );
      reach(outputs, 'outputs');
      lend(() => core.setOutput(name, value));
    },
    summary: (markdown) => void (markdown === '' || core.summary.addRaw(markdown, true)),
    async writeSummary() {
      const text = cut(core.summary.stringify());
      core.summary.emptyBuffer().addRaw(text);
      if (summaries === '' || text === '') return;
      try {
        reach(summaries, 'the summary');
        // The toolkit reads the file name before its first await.
        await lend(() => core.summary.write());
      } catch (error) {
        // The job's work is done, so a missing summary is no reason to fail.
        core.warning((error as Error).message);
      }
    },
    mask: (secret) => core.setSecret(secret),
    warn: (message) => core.warning(message),
    error: (message) => core.error(message),
    group: (title, work) => core.group(title, work),
  };
}

/**
 * Creates the file if needed, because the toolkit does not write to missing files. On a self-hosted runner an
 * agent may have removed it.
 */
function reach(file: string, what: string): void {
  try {
    appendFileSync(file, '');
  } catch (cause) {
    throw new GzaError('world', `the runner's file for ${what} cannot be written: ${file}`, {
      hint: 'Something removed it or its folder while the step ran. Let nothing else write to the temporary folder of the runner, and start the job again.',
      cause,
    });
  }
}

/** The runner discards a summary of more than a mebibyte. */
function cut(markdown: string): string {
  const bytes = Buffer.from(markdown);
  if (bytes.length <= summaryBytesMax) return markdown;
  return `${bytes.subarray(0, summaryBytesMax).toString('utf8')}\n\n(cut here)\n`;
}
