/** The file in which a command of the person's own may give the answer of a review, where no flag holds it to a schema. */
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentRun } from '../../agents/run-agent.ts';
import { isRecord } from '../../core/shape.ts';
import { whyFailed } from '../../core/system-error.ts';
import { readPlainFile } from '../../system/plain-file.ts';

const answerBytesMax = 1 << 20;

/** Beside the spool: outside of the work tree, and writable for the agent. */
export function answerFile(spool: string): string {
  return join(dirname(spool), 'answer.json');
}

/** The run with what it left in the file, read as the answer to a schema is; the file is gone afterwards. */
export async function withAnswer(run: AgentRun, file: string): Promise<AgentRun> {
  try {
    const bytes = await readPlainFile(file, answerBytesMax);
    if (bytes === null) return run;
    const structured: unknown = JSON.parse(bytes.toString('utf8'));
    if (!isRecord(structured)) throw new Error('it is no JSON object');
    // Having said all there, it need print nothing.
    const kind = run.result.kind === 'empty' ? ({ kind: 'ok', error: undefined } as const) : {};
    return { ...run, result: { ...run.result, ...kind, structured } };
  } catch (thrown) {
    // A part of the answer, so that no approval stands beside it, and the next question says what was wrong.
    const text = `${run.result.text}\n\nThis review is incomplete: its answer in GZA_ANSWER cannot be read (${whyFailed(thrown)}).`;
    return { ...run, result: { ...run.result, text } };
  } finally {
    await rm(file, { force: true, recursive: true });
  }
}
