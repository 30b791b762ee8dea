import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { stripEscapes } from '../../src/agents/strip-escapes.ts';
import { parseSpool } from '../../src/core/spool/spool.ts';
import { redactSpool } from '../../src/engine/left.ts';
import { openRedactor, redact } from '../../src/system/redacted-log.ts';

const secret = 's3cr3t/va+lue==with"quote';

test('a known value is taken out as it is, inside JSON, in an address and in base64', () => {
  const text = [
    secret,
    JSON.stringify({ key: secret }),
    encodeURIComponent(secret),
    Buffer.from(`x-access-token:${secret}`).toString('base64'),
  ].join(' | ');
  expect(redact(text, [secret])).toBe('[redacted] | {"key":"[redacted]"} | [redacted] | [redacted]');
});

test.each([
  'ghp_0123456789abcdefghij0123456789abcdef',
  'github_pat_11ABCDEFG0123456789_abcdefghijklmnop',
  'sk-ant-api03-abcdefghijklmnopqrstuv',
  'AKIAIOSFODNN7EXAMPLE',
  'glpat-abcdefghij0123456789',
  'xoxb-1234567890-abcdefghij',
  'lin_api_abcdefghij0123456789abcdefghij01',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJlLW9mLWl0',
  '-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----',
])('what looks like a token is taken out: %s', (token) => {
  expect(redact(`before ${token} after`, [])).toBe('before [redacted] after');
});

test.each([
  `hf_${'aB3x'.repeat(9)}`,
  `gsk_${'aB3x'.repeat(13)}`,
  `hvs.${'aB3x_-'.repeat(15)}`,
  `dapi${'0a1b'.repeat(8)}`,
])('what a patch may not hold is taken out of texts too: %s', (token) => {
  expect(redact(`KEY="${token}"`, [])).toBe('KEY="[redacted]"');
});

test('a known value is found wherever it begins in what was encoded', () => {
  const value = 'p?w>d~éw0rd-Zß9';
  const around = ['', 'a', 'ab', 'abc', 'key=', '{"a":1,"key":"'];
  const forms = around.flatMap((before) => {
    const bytes = Buffer.from(`${before}${value}and more`);
    return [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')];
  });
  const upper = Buffer.from(value).toString('hex').toUpperCase();
  const address = encodeURIComponent(value).toLowerCase().replace('z', 'Z');
  for (const form of [...forms, upper, address, Buffer.from(value).toString('latin1')])
    expect([form, redact(`x ${form} y`, [value])]).toEqual([form, expect.stringContaining('[redacted]')]);
  expect(redact(Buffer.from('another value').toString('base64'), [value])).not.toContain('[redacted]');
});

test('a token at the end of a long word is found', () => {
  const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.c2lnbmF0dXJlLW9mLWl0';
  expect(redact(`${'eyJ'.repeat(100_000)} ${token}`, [])).toMatch(/^(?:eyJ)+ \[redacted\]$/);
  expect(redact(`${'eyJ'.repeat(100_000)}${token}`, [])).toBe('[redacted]');
});

test('a spool keeps its form: what would end outside of a text ends with it', () => {
  const line = (text: string) => JSON.stringify({ kind: 'note', id: 'a', text });
  const spool = [line(`a "${secret}" b`), '', line('-----BEGIN PRIVATE KEY-----\nMII'), 'no JSON', line('c')];
  expect(redactSpool(spool.join('\n'), [secret]).split('\n')).toEqual([
    line('a "[redacted]" b'),
    '',
    line('[redacted]'),
    'no JSON',
    line('c'),
  ]);
  const reading = parseSpool(redactSpool(`${line('x')}\n`.repeat(600), []), {
    runTask: 'a',
    laneTasks: new Set(['a']),
    idsKnown: new Set(),
    capLeft: 0,
  });
  expect(reading.refused).toEqual([expect.objectContaining({ line: 501 })]);
});

test('short values and ordinary words stay', () => {
  const text = 'main is risk-free: task-1a2b, sk-1, https://example.com/a/b?c=d';
  expect(redact(text, ['main', '', '   '])).toBe(text);
});

test('however a stream is cut, a secret never shows and nothing else is lost', () => {
  const words = fc.array(
    fc.constantFrom('a word\n', ' ', secret, 'ghp_0123456789abcdefghij0123', 's3cr3t', 'x\n', '='),
  );
  fc.assert(
    fc.property(words, fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), (parts, sizes) => {
      const text = parts.join('\n');
      const redactor = openRedactor([secret]);
      let out = '';
      for (let at = 0, turn = 0; at < text.length; turn += 1) {
        const size = sizes[turn % sizes.length] ?? 1;
        out += redactor.write(text.slice(at, at + size));
        at += size;
      }
      out += redactor.end();
      expect(out).toBe(redact(text, [secret]));
      expect(out).not.toContain(secret);
    }),
  );
});

test('what is held back is bounded', () => {
  const redactor = openRedactor([]);
  expect(redactor.write('a'.repeat(100_000)).length).toBeGreaterThan(80_000);
});

test('text for a terminal has no sequences, no hidden characters, no commands for a pipeline, no endless line', () => {
  expect(stripEscapes('\u001B[31mred\u001B[0m \u001B]0;title\u0007\u001B]8;;http://x\u001B\\link')).toBe(
    'red link',
  );
  expect(stripEscapes('a\u202Eb\u200Bc\u0000d\u0008e\tf\r\ng\rh')).toBe('abcde\tf\ng\nh');
  expect(stripEscapes('  ::add-mask::x\nsee ##[error] and ##vso[task]')).toBe(
    '  : :add-mask::x\nsee ## [error] and ## vso[task]',
  );
  expect(stripEscapes('x'.repeat(5000))).toMatch(/^x{2000} … \(3000 more characters\)$/);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(stripEscapes(text)).not.toMatch(/[^\P{Cc}\t\n]/u);
    }),
  );
});

test('long words cost no more than short ones', () => {
  const word = `${'x'.repeat(8000)}\n`;
  const redactor = openRedactor([]);
  let length = 0;
  // Two million characters: minutes, if each began a search of its own.
  for (let n = 0; n < 250; n += 1) length += redactor.write(word).length;
  expect(length + redactor.end().length).toBe(250 * word.length);
}, 10_000);
