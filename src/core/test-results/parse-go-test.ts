import { type FoundFailure, failuresMax, type TestSummary, testSummary } from '../test-results.ts';

type Status = 'pass' | 'fail' | 'skip';

/** Lines of packages (`ok`, `FAIL`, `?`), and of tests where they are printed (always those that failed). */
export function parseGoTest(lines: readonly string[]): TestSummary | null {
  const packages = new Map<string, { status: Status; text: string }>();
  const tests: { name: string; status: Status; index: number }[] = [];
  let at = -1;
  let from = 0;
  let isVerbose = false;
  for (const [index, line] of lines.entries()) {
    const found = /^(ok {2}|FAIL|\? {3})\t([^\s\t]{1,300})(?:\s(.*))?$/.exec(line.trimEnd());
    if (found?.[2] !== undefined) {
      packages.set(found[2], { status: packageStatus(line), text: found[3] ?? '' });
      at = index;
      from = tests.length;
    }
    const test = /^ *--- (PASS|FAIL|SKIP): (\S{1,500}) \(/.exec(line);
    if (test) tests.push({ name: test[2] ?? '', status: statusOf(test[1]), index });
    isVerbose ||= test?.[1] === 'PASS' || line.startsWith('=== RUN ');
  }
  if (at < 0) return null;
  // What a test prints after the last package is nobody's result.
  const leaves = leavesOf(tests.slice(0, from));
  const failures = [
    ...leaves.filter(({ status }) => status === 'fail').map((test) => failureOf(test, lines)),
    ...brokenPackages(packages, lines),
  ];
  const broken = failures.length - leaves.filter(({ status }) => status === 'fail').length;
  const counted: readonly { status: Status }[] = isVerbose ? leaves : [...packages.values()];
  const count = (status: Status): number => counted.filter((one) => one.status === status).length;
  const failed = isVerbose ? count('fail') + broken : count('fail');
  // A package without tests was not skipped: there is nothing in it.
  const skipped = isVerbose ? count('skip') : 0;
  const unit = isVerbose ? 'tests' : 'packages';
  return testSummary('go test', at, { passed: count('pass'), failed, skipped }, failures, unit);
}

function packageStatus(line: string): Status {
  if (line.startsWith('FAIL')) return 'fail';
  return line.startsWith('?') || line.endsWith('[no tests to run]') ? 'skip' : 'pass';
}

function statusOf(word: string | undefined): Status {
  return word === 'PASS' ? 'pass' : word === 'FAIL' ? 'fail' : 'skip';
}

/** A test with subtests fails when one of them does: it is not counted besides. */
export function leavesOf<T extends { readonly name: string }>(tests: readonly T[]): T[] {
  const parents = new Set<string>();
  for (const { name } of tests) {
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) {
      const parent = name.slice(0, at);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  return tests.filter(({ name }) => !parents.has(name));
}

const place = /^\s+([^\s:]{1,300}\.go):(\d{1,9}): (.*)$/;

/** What it said stands after its line, with -v before it. */
function failureOf({ name, index }: { name: string; index: number }, lines: readonly string[]): FoundFailure {
  const near = [
    ...lines.slice(index + 1, index + 6),
    ...lines.slice(Math.max(0, index - 12), index).reverse(),
  ];
  const found = near.map((line) => place.exec(line)).find((match) => match !== null);
  return { name, file: found?.[1], line: numberOf(found?.[2]), message: found?.[3] };
}

/** They failed without a test that did: they do not compile, or the program died. */
function brokenPackages(
  packages: ReadonlyMap<string, { status: Status; text: string }>,
  lines: readonly string[],
): FoundFailure[] {
  const broken = [...packages].filter(([, { status, text }]) => status === 'fail' && text.startsWith('['));
  return broken.map(([name, { text }], index) => {
    if (index >= failuresMax) return { name };
    const head = lines.findIndex((line) => line.startsWith(`# ${name}`));
    const message = head < 0 ? text : lines.slice(head + 1, head + 4).find((line) => line.includes('.go:'));
    const where = /^([^\s:]{1,300}\.go):(\d{1,9})/.exec(message ?? '');
    return { name: `${name} ${text}`, file: where?.[1], line: numberOf(where?.[2]), message };
  });
}

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}
