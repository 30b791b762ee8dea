import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { keepOutput } from '../../src/engine/checks/run-check.ts';

test('what fits is kept whole; else the beginning and the end are, and what is left out is said', () => {
  const line = fc.string({ maxLength: 12 }).map((text) => text.replaceAll('\n', ''));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.nat(60), fc.nat(60), (lines, head, tail) => {
      const output = keepOutput(head, tail);
      for (const one of lines) output.add(one);
      const whole = lines.map((one) => `${one}\n`).join('');
      const kept = output.text();
      if (whole.length <= head) expect(kept).toBe(whole);
      if (kept !== whole) expect(/^\[… \d+ characters were left out here …\]$/m.test(kept)).toBe(true);
      expect(kept.endsWith(`${lines.at(-1) ?? ''}${lines.length > 0 ? '\n' : ''}`)).toBe(true);
      expect(kept.length).toBeLessThanOrEqual(head + Math.max(tail, 13) + 60);
    }),
  );
});

test('a long run keeps its last lines', () => {
  const output = keepOutput(20, 20);
  for (let index = 0; index < 50_000; index += 1) output.add(`line ${index}`);
  expect(output.text()).toMatch(
    /^line 0\nline 1\n\n\[… \d+ characters were left out here …\]\nline 49999\n$/,
  );
});
