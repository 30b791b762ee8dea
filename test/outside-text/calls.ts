/**
 * How outside text reaches the functions of src/. A function of src/core whose parameters are all text is called by
 * itself, with hostile text in each of them in turn; what needs more stands in the tables.
 */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { ExportedFunction } from './exported-functions.ts';
import { lines } from './hostile-parts.ts';
import { type Arguments, besides, coreArguments, exempt, trusted } from './tables.ts';

/** By which outside text is called where it comes in; a function with such a parameter stands in a table. */
const outsideNames = /^(?:text|line|body|said|output|markdown|message|stderr|stdout|note|answer|raw)$/;

/** How to call a function with hostile text; 'exempt' where there is a reason, 'unknown' where nobody said. */
export function callsOf(one: ExportedFunction): readonly Arguments[] | 'exempt' | 'unknown' | 'no text' {
  const key = `${basename(one.file)} ${one.name}`;
  const own = besides[key];
  if (own !== undefined) return [own];
  const core = one.file.startsWith('core/') ? key : null;
  const texts = one.parameters.filter(({ kind }) => kind !== 'other');
  if (core === null) {
    const isOutside = !one.isAsync && texts.some(({ name }) => outsideNames.test(name));
    return isOutside ? (trusted.has(key) ? 'exempt' : 'unknown') : 'no text';
  }
  const listed = coreArguments[core];
  if (listed !== undefined) return [listed];
  if (core in exempt) return 'exempt';
  if (texts.length === 0) return 'no text';
  const needed = one.parameters.filter(({ isOptional, kind }) => !isOptional || kind !== 'other');
  if (needed.some(({ kind }) => kind === 'other')) return 'unknown';
  return needed.map(
    (_, hostile): Arguments =>
      (text) =>
        needed.map(({ kind }, at) => {
          const words = at === hostile ? text : 'a';
          return kind === 'texts' ? lines(words) : words;
        }),
  );
}

/** What a real agent printed, with hostile text in the place of all its words. */
export function hostileRecording(agent: string, text: string): string[] {
  const path = `${import.meta.dirname}/../fixtures/recorded/${agent}/writes.stdout`;
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(-10)
    .flatMap((line) => {
      if (!line.startsWith('{')) return [text];
      const keepsKind = (key: string, value: unknown) =>
        typeof value === 'string' && !/^(?:type|subtype|role|status|kind|name|phase)$/.test(key)
          ? text
          : value;
      return JSON.stringify(JSON.parse(line), keepsKind);
    });
}
