import { type FoundFailure, type TestSummary, testSummary } from '../test-results.ts';

interface Tag {
  readonly name: string;
  readonly kind: 'open' | 'close' | 'empty';
  readonly attributes: ReadonlyMap<string, string>;
  readonly start: number;
  readonly end: number;
}

interface Case {
  readonly tag: Tag;
  status: 'passed' | 'failed' | 'skipped';
  message: string;
}

interface Scan {
  readonly text: string;
  readonly failures: FoundFailure[];
  readonly counts: { passed: number; failed: number; skipped: number };
  /** Of the outermost suites, for a report that lost its middle. */
  readonly declared: { tests: number; failed: number };
  depth: number;
  open: Case | null;
  last: number;
}

const tagCharsMax = 20_000;
const failuresKept = 200;

/** JUnit's XML as every program writes it. It is scanned, not parsed: it may be cut, and stand among other output. */
export function parseJunit(lines: readonly string[]): TestSummary | null {
  if (!lines.some((line) => line.includes('<testsuite'))) return null;
  const scan: Scan = {
    text: lines.join('\n'),
    failures: [],
    counts: { passed: 0, failed: 0, skipped: 0 },
    declared: { tests: 0, failed: 0 },
    depth: 0,
    open: null,
    last: -1,
  };
  for (const tag of tagsIn(scan.text)) readTag(scan, tag);
  if (scan.open) closeCase(scan);
  if (scan.last < 0) return null;
  const at = lineAt(lines, scan.last);
  const failed = Math.max(scan.counts.failed, scan.declared.failed);
  const { skipped } = scan.counts;
  const passed = Math.max(scan.counts.passed, scan.declared.tests - failed - skipped);
  return testSummary('JUnit XML', at, { passed, failed, skipped }, scan.failures);
}

function readTag(scan: Scan, tag: Tag): void {
  const isSuite = tag.name === 'testsuite' || tag.name === 'testsuites';
  if (isSuite) return readSuite(scan, tag);
  if (tag.name === 'testcase') {
    if (scan.open) closeCase(scan);
    if (tag.kind !== 'close') scan.open = { tag, status: 'passed', message: '' };
    if (tag.kind === 'empty') closeCase(scan);
    return;
  }
  if (scan.open === null || tag.kind === 'close') return;
  if (tag.name === 'skipped') {
    scan.open.status = 'skipped';
    return;
  }
  if (scan.open.status === 'failed') return;
  scan.open.status = 'failed';
  if (scan.failures.length >= failuresKept) return;
  scan.open.message = tag.attributes.get('message') || textAfter(scan.text, tag);
}

function readSuite(scan: Scan, tag: Tag): void {
  scan.last = tag.end;
  if (scan.open) closeCase(scan);
  if (tag.kind === 'close') {
    scan.depth = Math.max(0, scan.depth - 1);
    return;
  }
  const number = (name: string): number => Number(/^\d{1,9}$/.exec(tag.attributes.get(name) ?? '')?.[0] ?? 0);
  if (scan.depth === 0) {
    scan.declared.tests += number('tests');
    scan.declared.failed += number('failures') + number('errors');
  }
  if (tag.kind === 'open') scan.depth += 1;
}

function closeCase(scan: Scan): void {
  const { open } = scan;
  scan.open = null;
  if (open === null) return;
  scan.counts[open.status] += 1;
  if (open.status !== 'failed' || scan.failures.length >= failuresKept) return;
  const { attributes } = open.tag;
  const line = Number(attributes.get('line') ?? Number.NaN);
  scan.failures.push({
    name: [attributes.get('classname'), attributes.get('name')].filter(Boolean).join(' › '),
    file: attributes.get('file'),
    line: Number.isSafeInteger(line) ? line : undefined,
    message: open.message,
  });
}

function textAfter(text: string, tag: Tag): string {
  if (tag.kind === 'empty') return '';
  const body = text.slice(tag.end, tag.end + 2000);
  const end = body.indexOf(`</${tag.name}`);
  return decode((end < 0 ? body : body.slice(0, end)).replace('<![CDATA[', '').replace(']]>', '').trim());
}

/** The tags of interest; comments and CDATA, which may hold what looks like tags, are passed over. */
function* tagsIn(text: string): Generator<Tag> {
  const start = /<!--|<!\[CDATA\[|<(\/?)(testsuites|testsuite|testcase|failure|error|skipped)(?=[\s/>])/g;
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    if (match[2] === undefined) {
      const end = text.indexOf(match[0] === '<!--' ? '-->' : ']]>', start.lastIndex);
      if (end < 0) return;
      start.lastIndex = end;
      continue;
    }
    const end = tagEnd(text, start.lastIndex);
    if (end < 0) continue;
    const inner = text.slice(start.lastIndex, end);
    const kind = match[1] === '/' ? 'close' : inner.endsWith('/') ? 'empty' : 'open';
    yield { name: match[2], kind, attributes: attributesIn(inner), start: match.index, end: end + 1 };
    start.lastIndex = end + 1;
  }
}

/** The `>` outside of quotes; -1 when the tag is cut or too long. */
function tagEnd(text: string, from: number): number {
  let quote = '';
  for (let index = from; index < Math.min(text.length, from + tagCharsMax); index += 1) {
    const char = text.charAt(index);
    if (char === '<') return -1;
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === '>') return index;
  }
  return -1;
}

function attributesIn(inner: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const match of inner.matchAll(
    /(?<![\w:.-])([\w:.-]{1,60})\s{0,10}=\s{0,10}(?:"([^"]*)"|'([^']*)')/g,
  )) {
    attributes.set(match[1] ?? '', decode(match[2] ?? match[3] ?? ''));
  }
  return attributes;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function decode(text: string): string {
  return text.replace(
    /&(?:(lt|gt|quot|apos|amp)|#(\d{1,7})|#x([\da-fA-F]{1,6}));/g,
    (all, name, digits, hex) => {
      if (name !== undefined) return entities[name as string] ?? all;
      const code = digits === undefined ? Number.parseInt(hex as string, 16) : Number(digits);
      return code > 31 && code < 0x11_0000 ? String.fromCodePoint(code) : ' ';
    },
  );
}

function lineAt(lines: readonly string[], offset: number): number {
  let chars = 0;
  for (const [index, line] of lines.entries()) {
    chars += line.length + 1;
    if (chars >= offset) return index;
  }
  return lines.length - 1;
}
