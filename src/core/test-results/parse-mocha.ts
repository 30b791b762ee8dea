import { type FoundFailure, placeIn, type TestSummary, testSummary } from '../test-results.ts';

/** `  2 passing (3ms)`, then pending and failing on the next lines, then the failures by number. */
export function parseMocha(lines: readonly string[]): TestSummary | null {
  const at = lines.findLastIndex((line) => /^ {2}\d{1,9} passing \([\d.]+m?[smhd]\)$/.test(line));
  if (at < 0) return null;
  const counts = { passed: Number(/\d+/.exec(lines[at] ?? '')?.[0]), failed: 0, skipped: 0 };
  let end = at;
  for (const line of lines.slice(at + 1, at + 3)) {
    const match = /^ {2}(\d{1,9}) (pending|failing)$/.exec(line);
    if (match === null) break;
    counts[match[2] === 'failing' ? 'failed' : 'skipped'] = Number(match[1]);
    end += 1;
  }
  return testSummary('mocha', end, counts, failuresIn(lines.slice(end + 1)));
}

function failuresIn(lines: readonly string[]): FoundFailure[] {
  const starts = lines.flatMap((line, index) => (/^ {2}\d{1,6}\) \S/.test(line) ? [index] : []));
  return starts.map((start, index) => {
    const block = lines.slice(start, Math.min(starts[index + 1] ?? lines.length, start + 40));
    const nameEnd = block.findIndex((line) => line.endsWith(':'));
    const name = block.slice(0, nameEnd + 1).map((line) => line.trim());
    const body = block.slice(nameEnd + 1).map((line) => line.trim());
    const trace = body.findIndex((line) => line.startsWith('at '));
    return {
      name: (nameEnd < 0 ? block.slice(0, 1) : name)
        .join(' ')
        .replace(/^\s*\d+\) /, '')
        .replace(/:$/, ''),
      ...placeIn(body[trace] ?? ''),
      message: body.slice(0, trace < 0 ? 8 : trace).join('\n'),
    };
  });
}
