/** A mistake in a file that a person wrote: where it is, what was expected and what was found. */
export interface Problem {
  readonly file: string;
  /** From 1; 0 if there is no line, as for a filed task. */
  readonly line: number;
  readonly column: number;
  /** One sentence; names the field. */
  readonly message: string;
  readonly expected?: string;
  readonly found?: string;
  readonly example?: string;
  /** The nearest valid word, if the wrong one looks like a typo. */
  readonly near?: string;
  /** The task that this problem holds back. */
  readonly task?: string;
  /** Holds back every task of the file, because they share what it concerns. */
  readonly wholeFile?: true;
  readonly severity: 'error' | 'warning';
}

const problemsShownMax = 100;

function printProblem(problem: Problem): string {
  const { file, line, column, message, near, expected, found, example } = problem;
  const mark = problem.severity === 'warning' ? 'warning: ' : '';
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  const lines = [`${place}: ${mark}${message}${near ? `: did you mean ${near}?` : ''}`];
  if (expected) lines.push(`    expected: ${expected}`);
  if (found) lines.push(`    found:    ${found}`);
  if (example) lines.push(`    example:  ${example}`);
  return lines.join('\n');
}

/** All problems, ordered by file and line; says how many it left out. */
export function printProblems(problems: readonly Problem[], max = problemsShownMax): string {
  const sorted = [...problems].sort(byPlace);
  const shown = sorted.slice(0, max).map(printProblem);
  const rest = sorted.length - shown.length;
  if (rest > 0) shown.push(`and ${rest} more`);
  return shown.join('\n');
}

function byPlace(a: Problem, b: Problem): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** A value from a file as one bounded line that is safe to print. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value));
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > 60 ? `${line.slice(0, 57)}...` : line;
}
