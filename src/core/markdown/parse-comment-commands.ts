/**
 * Reads the `/gza …` commands in a comment. Text in quotes, code and HTML comments is never a command. If
 * that is unclear, or if a line has invisible characters, gza does not obey the line but answers why. A
 * command's guidance is the rest of its line and the lines that follow directly.
 */

import { nearestWord } from '../arguments/nearest-word.ts';
import { lineEnd, type MarkdownLine, readMarkdown, type Standing } from './markdown-lines.ts';
import { foldLookAlikes, removeHidden } from './neutralise.ts';

export const commentVerbs = [
  'improve',
  'review',
  'work',
  'retry',
  'resume',
  'approve',
  'merge',
  'skip',
  'stop',
  'pause',
  'reopen',
  'rebase',
  'split',
  'add',
  'status',
  'why',
  'help',
] as const;
export type CommentVerb = (typeof commentVerbs)[number];

export interface CommentCommand {
  readonly verb: CommentVerb;
  /** The words of its line. Text in quotation marks counts as one word. */
  readonly args: readonly string[];
  /** The full text after the command, as written. */
  readonly guidance: string;
  /** From 1. */
  readonly line: number;
}

export type CommandProblemKind =
  /** There is no such command. `near`: the command that was probably meant. */
  | 'unknown'
  /** It contains an invisible character, or one that only looks like a Latin letter. */
  | 'hidden-characters'
  /** It may be part of a quote or code. */
  | 'doubtful'
  /** The command needs a text, but has none. */
  | 'no-text'
  /** The guidance was too long and was cut. The command still counts. */
  | 'guidance-cut'
  /** The comment has too many commands. Only the first ones count. */
  | 'too-many'
  /** Only the beginning of the comment was read. */
  | 'too-long';

export interface CommandProblem {
  readonly kind: CommandProblemKind;
  readonly line: number;
  /** The word that was found, without invisible characters. */
  readonly word: string;
  readonly near: CommentVerb | null;
}

export interface CommentReading {
  readonly commands: readonly CommentCommand[];
  readonly problems: readonly CommandProblem[];
}

export const commandsMax = 10;
export const guidanceCharsMax = 8_000;
const commentCharsMax = 65_536;
const argsMax = 20;

const commandLine = /^ {0,3}\/gza(?![\w/-])[ \t]*([^\s"“”]*)([^]*)/i;
const quickGlance = /\/\s{0,3}g/i;

export function parseCommentCommands(text: string): CommentReading {
  const comment = text.slice(0, commentCharsMax);
  const reading: Reading = { commands: [], problems: [] };
  if (text.length > commentCharsMax) say(reading, 'too-long', comment.split(lineEnd).length);
  const raw = comment.replace(/^\uFEFF/, '').split(lineEnd);
  // Return early: most comments contain no command.
  if (!raw.some((line) => quickGlance.test(foldLookAlikes(line.slice(0, 200))))) return reading;
  const { lines } = readMarkdown(comment);
  for (const [at, line] of lines.entries()) {
    // Use the raw line, because removing an HTML comment could move a word to the start of the line.
    const match = lookOf(raw[at] ?? '', line.standing);
    if (match === 'none') continue;
    if (reading.commands.length + reading.problems.length >= commandsMax) {
      say(reading, 'too-many', line.number);
      break;
    }
    if (match !== 'command') say(reading, match, line.number);
    else readCommand(reading, lines, at, raw);
  }
  return reading;
}

interface Reading {
  readonly commands: CommentCommand[];
  readonly problems: CommandProblem[];
}

function say(
  reading: Reading,
  kind: CommandProblemKind,
  line: number,
  word = '',
  near: CommentVerb | null = null,
) {
  reading.problems.push({ kind, line, word, near });
}

function lookOf(raw: string, standing: Standing): 'none' | 'command' | 'doubtful' | 'hidden-characters' {
  if (standing === 'hidden') return 'none';
  if (commandLine.test(raw)) {
    if (removeHidden(raw) !== raw) return 'hidden-characters';
    return standing === 'prose' ? 'command' : 'doubtful';
  }
  const start = raw.slice(0, 80);
  // oxlint-disable-next-line no-control-regex
  if (/^[\u0000-\u007f]*$/.test(start) && removeHidden(start) === start) return 'none';
  return commandLine.test(removeHidden(foldLookAlikes(start))) ? 'hidden-characters' : 'none';
}

function readCommand(
  reading: Reading,
  lines: readonly MarkdownLine[],
  at: number,
  raw: readonly string[],
): void {
  const line = lines[at]!;
  const match = commandLine.exec(line.text.trimEnd());
  const word = (match?.[1] ?? '').replace(/(?<![:.,;!?])[:.,;!?]+$/, '').toLowerCase();
  const verb = word === '' ? 'help' : commentVerbs.find((one) => one === word);
  if (!verb) {
    const known = word.length <= 40 ? nearestWord(word, commentVerbs) : null;
    return say(reading, 'unknown', line.number, word.slice(0, 40), known as CommentVerb | null);
  }
  const rest = (match?.[2] ?? '').trim();
  const more = followingLines(lines, at, raw);
  const said = [rest, ...more].join('\n').trim();
  if (removeHidden(said) !== said) return say(reading, 'hidden-characters', line.number, word);
  if (verb === 'add' && said === '') return say(reading, 'no-text', line.number, word);
  const guidance = said.slice(0, guidanceCharsMax).toWellFormed();
  reading.commands.push({ verb, args: wordsOf(rest), guidance, line: line.number });
  if (guidance.length < said.length) say(reading, 'guidance-cut', line.number, word);
}

/**
 * The guidance: lines up to an empty line, the next command or a quote. Code that follows directly belongs to
 * it.
 */
function followingLines(lines: readonly MarkdownLine[], at: number, raw: readonly string[]): string[] {
  const more: string[] = [];
  for (const [offset, line] of lines.slice(at + 1).entries()) {
    const inFence = line.isFenced && line.standing === 'hidden';
    const isOwn = line.standing === 'prose' && line.text.trim() !== '';
    if (!inFence && (!isOwn || lookOf(raw[at + 1 + offset] ?? '', line.standing) !== 'none')) break;
    more.push(line.text);
  }
  return more;
}

function wordsOf(rest: string): string[] {
  const words: string[] = [];
  for (const match of rest.matchAll(/["“”]([^"“”]*)(?:["“”]|$)|[^\s"“”]+/g)) {
    if (words.length === argsMax) break;
    words.push(match[1] ?? match[0]);
  }
  return words;
}
