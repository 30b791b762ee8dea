/**
 * Takes secrets out of a stream of text: values that are known, and what looks like a token of a known kind.
 * A secret may be cut in two by the stream, so the end of what came is held back while it could be one's begin.
 * The logs of agents and checks are written through it.
 */

import { closeSync, constants, mkdirSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { anySecret } from '../core/guard/secrets.ts';
import { openPlain } from './outside.ts';

interface Redactor {
  /** The part that is safe to show now. */
  write(chunk: string): string;
  /** The rest. */
  end(): string;
}

const mark = '[redacted]';
const heldCharsMax = 16_384;
/** Shorter values are words that would be struck out everywhere. */
const secretCharsMin = 8;

const shapes = new RegExp(anySecret, 'g');

export function redact(text: string, secrets: readonly string[]): string {
  const redactor = openRedactor(secrets);
  const clean = redactor.write(text) + redactor.end();
  // There is no one place to take it out of.
  return holdsSecret(clean, spellings(secrets)) ? mark : clean;
}

/** Also one that line ends, quotes or signs of a program cut, as `base64` and a list of strings do. */
export function holdsSecret(text: string, known: readonly string[]): boolean {
  const decoded = text.replace(codes, charOf);
  return [text, ...(decoded === text ? [] : [decoded])].some((one) => {
    if (known.some((value) => one.includes(value))) return true;
    const joined = one.replace(cuts, '');
    return (
      joined.length < one.length &&
      known.some((value) => {
        const word = value.replace(cuts, '');
        return word.length >= joinedCharsMin && joined.includes(word);
      })
    );
  });
}

// oxlint-disable-next-line no-control-regex
const cuts = /[\s"'`\\,;:+.[\](){}\0|-]+/g;
/** How addresses, programs and pages write a character by its number. */
const codes =
  /(?:%|\\x|\\u00|\\u\{0{0,4}|0x|&#x0{0,4})([0-9a-f]{2})(?![0-9a-f]{3})\}?;?|&#0{0,4}(\d{2,3});|\\([0-7]{3})/gi;

function charOf(_: string, hex?: string, decimal?: string, octal?: string): string {
  const code = hex ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : Number(decimal);
  return String.fromCharCode(code);
}
/** What is shorter may come about by chance. */
const joinedCharsMin = 12;

export function openRedactor(secrets: readonly string[]): Redactor {
  const values = spellings(secrets);
  let held = '';
  const clean = (text: string) =>
    values.reduce((rest, value) => rest.replaceAll(value, mark), text).replace(shapes, mark);
  return {
    write(chunk) {
      held += chunk;
      const safe = held.length - heldBack(held, values);
      const out = clean(held.slice(0, safe));
      held = held.slice(safe);
      return out;
    },
    end() {
      const out = clean(held);
      held = '';
      return out;
    },
  };
}

/**
 * A secret as it is, and as it looks in JSON, in addresses, in hex, in base64 (wherever it begins in what was encoded)
 * and in the bytes of a patch. Longest first, since one may hold another.
 */
export function spellings(secrets: readonly string[]): string[] {
  const long = secrets.filter((secret) => secret.trim().length >= secretCharsMin);
  const all = long.flatMap((secret) => {
    const hex = Buffer.from(secret).toString('hex');
    const address = encodeURIComponent(secret);
    return [
      secret,
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString('latin1'),
      address,
      Buffer.from(Buffer.from(secret).toString('base64')).toString('base64'),
      [...Buffer.from(secret)].join(' '),
      address.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
      hex,
      hex.toUpperCase(),
      // With the word that git and HTTP send before it.
      Buffer.from(`x-access-token:${secret}`).toString('base64'),
      ...[0, 1, 2].flatMap((offset) => base64At(secret, offset)),
    ];
  });
  const kept = all.filter((spelling) => spelling.length >= secretCharsMin);
  return [...new Set(kept)].sort((a, b) => b.length - a.length);
}

/** The part that does not depend on what stands around it, in both alphabets; at the beginning also with its end. */
function base64At(secret: string, offset: number): string[] {
  const encoded = Buffer.from(`${' '.repeat(offset)}${secret}`).toString('base64');
  const whole = Math.floor(((offset + Buffer.byteLength(secret)) * 8) / 6);
  const inner = encoded.slice(offset === 0 ? 0 : offset + 1, whole);
  const forms = offset === 0 ? [encoded, inner] : [inner];
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** How many characters at the end could be the beginning of a secret, or belong to one that begins before them. */
function heldBack(text: string, values: readonly string[]): number {
  const key = text.lastIndexOf('-----BEGIN ');
  const openKey = key >= 0 && !/-----END [A-Z ]*-----/.test(text.slice(key)) ? text.length - key : 0;
  const token = tokenAtEnd(text);
  const value = Math.max(0, ...values.map((secret) => (isToken.test(secret) ? 0 : overlap(text, secret))));
  const cut = text.length - Math.max(openKey, token, value);
  const held = text.length - Math.min(cut, ...startsOfCut(text, values, cut));
  // A bound: what is longer than any secret is not held back for ever.
  return held >= heldCharsMax ? 0 : held;
}

/** What a word at the end of a text may be the beginning of. */
const isToken = /^[A-Za-z0-9_.=+/%~:-]+$/;

/** From the end: a search from the front would begin anew at every character of a long word. */
function tokenAtEnd(text: string): number {
  const most = Math.min(text.length, heldCharsMax);
  let length = 0;
  while (length < most && isToken.test(text.charAt(text.length - 1 - length))) length += 1;
  return length;
}

/** Where the secrets begin that a cut would go through. */
function startsOfCut(text: string, values: readonly string[], cut: number): number[] {
  const known = values.flatMap((value) => {
    const start = text.indexOf(value, Math.max(0, cut - value.length + 1));
    return start >= 0 && start < cut ? [start] : [];
  });
  const shaped = [...text.matchAll(shapes)].filter(
    ({ index, 0: all }) => index < cut && index + all.length > cut,
  );
  return [...known, ...shaped.map(({ index }) => index)];
}

/** Length of the longest end of the text that the secret begins with, without being all of it. */
function overlap(text: string, secret: string): number {
  const most = Math.min(secret.length - 1, text.length);
  for (let length = most; length > 0; length -= 1) {
    if (secret.startsWith(text.slice(text.length - length))) return length;
  }
  return 0;
}

/**
 * The file that keeps what an agent printed: secrets taken out, and no longer than it may be. On a full disk it ends
 * early; the run goes on.
 */
export interface AgentLog {
  /** A remark of our own. */
  note(text: string): void;
  output(text: string): void;
  errors(text: string): void;
  close(): void;
}

interface AgentLogOptions {
  readonly path: string;
  readonly secrets: readonly string[];
  readonly bytesMax: number;
}

export function openAgentLog({ path, secrets, bytesMax }: AgentLogOptions): AgentLog {
  mkdirSync(dirname(path), { recursive: true });
  const { O_APPEND, O_CREAT, O_WRONLY } = constants;
  const handle = openPlain(path, O_APPEND | O_CREAT | O_WRONLY);
  const output = openRedactor(secrets);
  const errors = openRedactor(secrets);
  let bytes = 0;
  const write = (text: string): void => {
    if (text === '' || bytes >= bytesMax) return;
    bytes += Buffer.byteLength(text);
    const end = bytes >= bytesMax ? `\n# the log ends here: it holds ${bytesMax} bytes at most\n` : '';
    try {
      writeSync(handle, `${text}${end}`);
    } catch {
      bytes = bytesMax;
    }
  };
  const rest = (): void => write(output.end() + errors.end());
  return {
    note: (text) => {
      rest();
      write(`${text.replaceAll(/^/gm, '# ')}\n`);
    },
    output: (text) => write(output.write(text)),
    errors: (text) => write(errors.write(text)),
    close: () => {
      rest();
      closeSync(handle);
    },
  };
}

/** Lines out of chunks. A line longer than the bound is cut, and the rest of it dropped. */
interface LineSplitter {
  push(chunk: string): string[];
  /** What is left without a line break. */
  end(): string[];
}

export function openLineSplitter(lineCharsMax = 8 << 20): LineSplitter {
  let held = '';
  let dropping = false;
  const take = (piece: string): void => {
    if (dropping) return;
    held += piece;
    if (held.length <= lineCharsMax) return;
    held = held.slice(0, lineCharsMax);
    dropping = true;
  };
  const flush = (): string => {
    const line = held.endsWith('\r') ? held.slice(0, -1) : held;
    held = '';
    dropping = false;
    return line;
  };
  return {
    push(chunk) {
      const pieces = chunk.split('\n');
      const last = pieces.pop() ?? '';
      const lines = pieces.map((piece) => {
        take(piece);
        return flush();
      });
      take(last);
      return lines;
    },
    end: () => (held === '' ? [] : [flush()]),
  };
}
