/** Answers in files: that of a review, for a command that no flag holds to a schema, and the questions of any step. */
import { lstat, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { AgentRun } from '../../agents/run-agent.ts';
import { questionsFile } from '../../core/prompt/prompt-rules.ts';
import { isRecord } from '../../core/shape.ts';
import { printSpoolLine } from '../../core/spool/spool-line.ts';
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

/**
 * The questions that an agent put into its work tree, as the note that it would have filed had it been let run commands;
 * empty where there are none. Only with the nonce of its step: the repository may have such a file.
 */
export async function questionsLeft(treeDir: string, id: string, nonce: string): Promise<string> {
  const file = join(treeDir, questionsFile);
  const folder = await lstat(dirname(file)).catch(() => null);
  if (!folder?.isDirectory()) return '';
  try {
    const bytes = await readPlainFile(file, answerBytesMax);
    const asked: unknown = bytes && JSON.parse(bytes.toString('utf8'));
    if (!isRecord(asked) || asked['nonce'] !== nonce || !Array.isArray(asked['questions'])) return '';
    await rm(file, { force: true });
    const questions = asked['questions'].filter((one) => typeof one === 'string' && one.trim() !== '');
    if (questions.length === 0) return '';
    const line = printSpoolLine({
      kind: 'note',
      id,
      text: `blocked: ${questions.join('\n\n')}`.slice(0, 8_000),
    });
    return 'text' in line ? line.text : '';
  } catch {
    return '';
  }
}
