/** The lane's diff: whole, or each file's numbers and the command that shows the rest. */

import { cleanLine, fenceData, showHidden } from '../markdown/fence.ts';
import type { Section } from './budget-text.ts';
import { rawCharsMax } from './prompt-words.ts';
import type { DiffFile, StepDiff } from './step-context.ts';

export function diffSection(
  diff: StepDiff | null,
): Pick<Section, 'text' | 'where' | 'wrap'> & { short?: string } {
  if (diff === null) return { text: '', where: '', wrap: (text) => text };
  const summary = diff.files.map(fileLine).join('\n');
  const range = `${revision(diff.base)}...${revision(diff.head)}`;
  const where = `\`git diff ${range}\`, by file: \`git diff ${range} -- <file>\``;
  const label = `Diff ${range}, ${countOf(diff.files)}`;
  const wrap = (text: string) => fenceData(text, label);
  const isWhole = diff.text !== null && !diff.isTooLarge && diff.text.length <= rawCharsMax;
  if (isWhole) return { text: showHidden(diff.text ?? '').trimEnd(), short: summary, where, wrap };
  return { text: summary, where, wrap: (text) => `${wrap(text)}\nToo large to send. Read it: ${where}.` };
}

function fileLine({ path, added, removed }: DiffFile): string {
  const numbers = added === null ? 'binary' : `+${added} -${removed ?? 0}`;
  return `${cleanLine(path, 500)} (${numbers})`;
}

function countOf(files: readonly DiffFile[]): string {
  return `${files.length} file${files.length === 1 ? '' : 's'}`;
}

/** Fit for a command line. */
function revision(name: string): string {
  return /^[\w][\w./-]{0,200}$/.test(name) ? name : 'HEAD';
}
