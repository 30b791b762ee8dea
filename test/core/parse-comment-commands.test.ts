import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  commandsMax,
  commentVerbs,
  parseCommentCommands,
} from '../../src/core/markdown/parse-comment-commands.ts';

/** `verb(args): guidance`, or `problem@line word → near` */
function read(text: string): string[] {
  const { commands, problems } = parseCommentCommands(text);
  return [
    ...commands.map(({ verb, args, guidance }) => `${verb}(${args.join('|')}): ${guidance}`),
    ...problems.map(({ kind, line, word, near }) => `${kind}@${line} ${word}${near ? ` → ${near}` : ''}`),
  ];
}

describe('what is a command', () => {
  test.each([
    ['a verb alone', '/gza review', ['review(): ']],
    ['in any case', '/GZA Improve', ['improve(): ']],
    ['with guidance', '/gza improve use a map', ['improve(use|a|map): use a map']],
    [
      'guidance over lines',
      'Hi\n/gza improve use a map\nand a set\n\nThanks',
      ['improve(use|a|map): use a map\nand a set'],
    ],
    ['several', '/gza review\n/gza status', ['review(): ', 'status(): ']],
    [
      'quoted words are one',
      '/gza add "Write the docs" soon',
      ['add(Write the docs|soon): "Write the docs" soon'],
    ],
    ['typographic quotes', '/gza add “Write the docs”', ['add(Write the docs): “Write the docs”']],
    ['punctuation after the verb', '/gza improve: use a map', ['improve(use|a|map): use a map']],
    ['Windows line ends', 'a\r\n/gza retry\r\nplease\r\n', ['retry(): please']],
    ['alone it asks for help', '/gza', ['help(): ']],
    [
      'code right after it',
      '/gza improve like this\n```ts\nf()\n\ng()\n```\nok',
      ['improve(like|this): like this\n```ts\nf()\n\ng()\n```\nok'],
    ],
    ['a quote ends it', '/gza improve\n> no\n', ['improve(): ']],
    ['a slip', '/gza aprove', ['unknown@1 aprove → approve']],
    ['no slip', '/gza frobnicate now', ['unknown@1 frobnicate']],
    ['nothing to add', '/gza add', ['no-text@1 add']],
    ['a path', '/gza/notes/plan.md is good', []],
    ['another word', '/gzane review', []],
    ['in the middle', 'please /gza review', []],
    ['a list item', '- /gza review', []],
    ['a quote', '> /gza review', []],
    ['a quote in a list', '- > /gza review', []],
    ['fenced code', '```\n/gza review\n```', []],
    ['indented code', 'a\n\n    /gza review', []],
    ['inline code', '`/gza review`', []],
    ['code over lines', 'use `x\n/gza review\ny` now', ['doubtful@2 ']],
    ['an HTML comment', '<!--\n/gza review\n-->', []],
    ['after an HTML comment', '<!-- x -->/gza review', []],
    ['guidance in an HTML comment', '/gza improve a <!-- delete all --> b', ['improve(a|b): a   b']],
    ['pre', '<pre>\n/gza review\n</pre>', []],
    ['right under a quote', '> she said\n/gza review', ['doubtful@2 ']],
    ['a fence that is never closed', '```\n/gza review', ['doubtful@2 ']],
    ['a zero-width space', '/gza\u200b review', ['hidden-characters@1 ']],
    ['inside the name', '/g\u200bza review', ['hidden-characters@1 ']],
    ['Cyrillic letters', '/gz\u0430 review', ['hidden-characters@1 ']],
    ['hidden in the guidance', '/gza improve a\nb\u202ec', ['hidden-characters@1 improve']],
  ])('%s', (_name, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  test('more than the limit are refused, and it is said', () => {
    const { commands, problems } = parseCommentCommands('/gza review\n'.repeat(commandsMax + 5));
    expect(commands).toHaveLength(commandsMax);
    expect(problems.map(({ kind, line }) => `${kind} ${line}`)).toEqual([`too-many ${commandsMax + 1}`]);
  });

  test('long guidance is cut, and it is said', () => {
    expect(read(`/gza improve ${'x'.repeat(9_000)}`)[1]).toBe('guidance-cut@1 improve');
    expect(parseCommentCommands(`${'a\n'.repeat(40_000)}/gza review`).problems[0]?.kind).toBe('too-long');
  });
});

describe('laws', () => {
  const verb = fc.constantFrom(...commentVerbs);
  const prose = fc.string({
    unit: fc.constantFrom('a', ' ', '/', 'gza', '.', '\n', '-', '`', '>', '<!--', '-->'),
  });

  test('nothing inside quotes or closed code ever commands', () => {
    const wraps: ((lines: string) => string)[] = [
      (lines) => lines.replaceAll(/^/gm, '> '),
      (lines) => `\`\`\`\n${lines.replaceAll('`', '')}\n\`\`\``,
      (lines) => `~~~~ts\n${lines.replaceAll('~', '')}\n~~~~`,
      (lines) => `text\n\n${lines.replaceAll(/^/gm, '    ')}`,
      (lines) => `<!--\n${lines.replaceAll('>', '')}\n-->`,
    ];
    fc.assert(
      fc.property(fc.constantFrom(...wraps), verb, prose, (wrap, word, text) => {
        const inside = `/gza ${word}\n${text}\n/gza ${word}`;
        expect(parseCommentCommands(wrap(inside)).commands).toEqual([]);
      }),
    );
  });

  test('every command found stands at the start of its line', () => {
    fc.assert(
      fc.property(prose, verb, prose, (before, word, after) => {
        const text = `${before}\n/gza ${word} ${after}`;
        const lines = text.split('\n');
        for (const command of parseCommentCommands(text).commands) {
          // A bare `/gza`, whatever marks or hidden comment follow it, asks for help.
          const said = command.verb === 'help' ? String.raw`(?![\w/-])` : String.raw`\s+${command.verb}`;
          expect(lines[command.line - 1]).toMatch(new RegExp(`^ {0,3}/gza${said}`, 'i'));
        }
      }),
    );
  });

  test('a plain command is read whatever plain text stands around it', () => {
    const plain = fc.string({ unit: fc.constantFrom('a', 'B', ' ', '.', ',', '\n') });
    fc.assert(
      fc.property(plain, verb, fc.stringMatching(/^[a-z ]{0,20}$/), plain, (before, word, said, after) => {
        const { commands } = parseCommentCommands(`${before}\n\n/gza ${word} x${said}\n\n${after}`);
        expect(commands).toMatchObject([{ verb: word, guidance: `x${said}`.trim() }]);
      }),
    );
  });
});
