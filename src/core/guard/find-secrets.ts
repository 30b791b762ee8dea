/**
 * Recognises what looks like a credential in text that is about to become public. Says where and of which kind,
 * never the value: the answer goes into logs and pull requests.
 */
import { secretKinds } from './secret-shapes.ts';

export interface SecretFound {
  /** Counted from 1. */
  readonly line: number;
  readonly kind: string;
}

/** An AWS access key, a GitHub token. */
export function namedSecret({ kind }: Pick<SecretFound, 'kind'>): string {
  return `${/^(?:[AEIOa]|npm|NVIDIA|xAI)/.test(kind) ? 'an' : 'a'} ${kind}`;
}

const lineLengthMax = 20_000;
const foundMax = 100;

export function findSecrets(text: string): SecretFound[] {
  const found: SecretFound[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const kind = secretKind(line.slice(0, lineLengthMax)) ?? secretKindAfter(line);
    if (kind) found.push({ line: index + 1, kind });
    if (found.length === foundMax) break;
  }
  return found;
}

/** Minified files have one endless line: read in overlapping pieces, so that no key hides on a border. */
function secretKindAfter(line: string): string | null {
  for (let at = lineLengthMax - 4000; at + 4000 < line.length; at += lineLengthMax - 4000) {
    const kind = secretKind(line.slice(at, at + lineLengthMax));
    if (kind) return kind;
  }
  return null;
}

function secretKind(line: string): string | null {
  for (const { kind, pattern } of secretKinds) if (pattern.test(line)) return kind;
  return assignsSecret(line) ? 'secret value' : null;
}

const assignment =
  /(?:passw(?:or)?d|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)[A-Za-z0-9_-]{0,30}["']?\s{0,4}(?::|=>|:=|=)\s{0,4}(["'`]?)([^\s"'`,;]{12,200})/gi;

/** A name that says secret, with a value that looks random: long, mixed, of high entropy, no expression. */
function assignsSecret(line: string): boolean {
  for (const match of line.matchAll(assignment)) {
    const [, quote, value = ''] = match;
    if (looksRandom(value, quote !== '')) return true;
  }
  return false;
}

function looksRandom(value: string, isQuoted: boolean): boolean {
  if (/[${}<>()[\]]|\.\.\.|^(?:https?|file):|example|placeholder|changeme|dummy|x{4}|\*{3}/i.test(value))
    return false;
  if (/^[a-z]+([._/-][a-z0-9]+)*$/i.test(value)) return false;
  if (!isQuoted && !/^[A-Za-z0-9+/=_-]{20,}$/.test(value)) return false;
  const classes = [/[a-z]/, /[A-Z]/, /[0-9]/, /[^A-Za-z0-9]/].filter((one) => one.test(value)).length;
  const isHex = /^[0-9a-f]{32,}$/i.test(value);
  return (isHex || classes >= 3) && entropyBits(value) >= (isHex ? 3 : 3.4);
}

/** Bits of surprise a character. */
function entropyBits(value: string): number {
  const counts = new Map<string, number>();
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
