import { type Counts, type FoundFailure, type TestSummary, testSummary } from '../test-results.ts';

/** `==== 2 failed, 1 passed in 0.02s ====`, with -q without the signs. */
export function parsePytest(lines: readonly string[]): TestSummary | null {
  const at = lines.findLastIndex((line) => countsIn(line) !== null);
  const counts = at < 0 ? null : countsIn(lines[at] ?? '');
  if (counts === null) return null;
  return testSummary('pytest', at, counts, failuresIn(lines.slice(0, at)));
}

const ending = / in \d+(?:\.\d+)?s(?: \([\d:, day]{1,30}\))?$/;

function countsIn(line: string): Counts | null {
  const text = line.replace(/^=+ /, '').replace(/ =+$/, '');
  const time = ending.exec(text);
  if (time === null || text.length > 300) return null;
  const parts = text.slice(0, time.index).split(', ');
  if (parts.length === 1 && parts[0] === 'no tests ran') return { passed: 0, failed: 0, skipped: 0 };
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const part of parts) {
    const match = /^(\d{1,9}) ([a-z]+(?: [a-z]+)?)$/.exec(part);
    const kind = kinds.get(match?.[2] ?? '');
    if (match === null || kind === undefined) return null;
    if (kind !== null) counts[kind] += Number(match[1]);
  }
  return counts;
}

/** Null for what is no test. */
const kinds = new Map<string, keyof Counts | null>([
  ['passed', 'passed'],
  ['xpassed', 'passed'],
  ['failed', 'failed'],
  ['error', 'failed'],
  ['errors', 'failed'],
  ['skipped', 'skipped'],
  ['xfailed', 'skipped'],
  ['deselected', null],
  ['warning', null],
  ['warnings', null],
  ['rerun', null],
  ['reruns', null],
  ['subtests passed', null],
  ['subtests failed', 'failed'],
]);

/** The lines of `short test summary info`, and where each failed from the traces above. */
function failuresIn(lines: readonly string[]): FoundFailure[] {
  const start = lines.findLastIndex((line) => /^=+ short test summary info =+$/.test(line));
  if (start < 0) return [];
  const places = placesIn(lines.slice(0, start));
  return lines.slice(start + 1).flatMap((line) => {
    const match = /^(?:FAILED|ERROR) (\S.*)$/.exec(line);
    if (match?.[1] === undefined) return [];
    const { id, message } = splitMessage(match[1]);
    const [file = '', ...names] = id.split('::');
    const place = places.get(names.join('.') || file);
    return [{ name: names.join('::') || file, file, line: place?.line, message: message || place?.message }];
  });
}

/** `file::name[a - b] - message`: a parameter may look like the sign between the two. */
function splitMessage(text: string): { id: string; message: string } {
  const bracket = text.indexOf('[');
  const sign = text.indexOf(' - ');
  const isInside = bracket >= 0 && bracket < sign && text.includes('] - ', bracket);
  const at = isInside ? text.indexOf('] - ', bracket) + 1 : sign;
  return at < 0 ? { id: text, message: '' } : { id: text.slice(0, at), message: text.slice(at + 3) };
}

function placesIn(lines: readonly string[]): Map<string, { line?: number; message?: string }> {
  const places = new Map<string, { line?: number; message?: string }>();
  let name: string | undefined;
  for (const line of lines) {
    const head = /^_{3,} (?:ERROR (?:at \w+ of |collecting ))?(\S.*?) _{3,}$/.exec(line.slice(0, 400));
    if (head) name = head[1];
    if (name === undefined) continue;
    const place = /^[^\s:][^:]{0,300}:(\d{1,9}): /.exec(line);
    const error = /^E {3}(\S.*)$/.exec(line);
    const known = places.get(name) ?? {};
    if (place) places.set(name, { ...known, line: Number(place[1]) });
    if (error?.[1] !== undefined && known.message === undefined) {
      places.set(name, { ...known, message: error[1] });
    }
  }
  return places;
}
