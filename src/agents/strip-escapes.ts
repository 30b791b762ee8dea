/* oxlint-disable no-control-regex -- they are what this file is about */
/** Makes an agent's text safe for a person's terminal and for the log of a pipeline. */
import { removeHidden } from '../core/markdown/neutralise.ts';

const lineCharsMax = 2000;

/** Whole escape sequences: colors, cursor movement, titles and links (bounded), and two-character ones. */
const sequences =
  /(?:\u001B\[|\u009B)[0-?]*[ -/]*[@-~]|(?:\u001B[\]PX^_]|\u009D|\u0090)[^\u0007\u001B\u009C]{0,4096}(?:\u0007|\u001B\\|\u009C)?|\u001B[ -/]*[0-~]/g;
export function stripEscapes(text: string): string {
  const plain = removeHidden(text.replace(/\r\n?/g, '\n').replace(sequences, ''));
  return plain.split('\n').map(stripLine).join('\n');
}

/** Breaks up pipeline commands, with which a log line could set an output, mask a word or add an error. */
export function withoutCommands(text: string): string {
  return text
    .replace(/::(?<=(?:^|[\r\n])[\s\u0085]*::)/g, ': :')
    .replaceAll('##[', '## [')
    .replaceAll('##vso[', '## vso[');
}

function stripLine(line: string): string {
  const inert = withoutCommands(line);
  if (inert.length <= lineCharsMax) return inert;
  return `${inert.slice(0, lineCharsMax)} … (${inert.length - lineCharsMax} more characters)`;
}
