/**
 * Removes secrets from a stream of text: known values, and what looks like a token of a known kind. The
 * stream may cut a secret in two, so its end is held back while it could begin a secret. The logs of agents
 * and checks are written through it.
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
/** Shorter values are common words, which would be redacted everywhere. */
const secretCharsMin = 8;

const shapes = new RegExp(anySecret, 'g');

export function redact(text: string, secrets: readonly string[]): string {
  const redactor = openRedactor(secrets);
  const clean = redactor.write(text) + redactor.end();
  // The secret is spread over the text, so there is no one place to remove it from.
  return holdsSecret(clean, spellings(secrets)) ? mark : clean;
}

/**
 * Also finds a secret that line ends, quotes or punctuation split, as in `base64` and in a list of strings.
 */
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
/** How addresses, programs and pages write a character as a number. */
const codes =
  /(?:%|\\x|\\u00|\\u\{0{0,4}|0x|&#x0{0,4})([0-9a-f]{2})(?![0-9a-f]{3})\}?;?|&#0{0,4}(\d{2,3});|\\([0-7]{3})/gi;

function charOf(_: string, hex?: string, decimal?: string, octal?: string): string {
  const code = hex ? Number.parseInt(hex, 16) : octal ? Number.parseInt(octal, 8) : Number(decimal);
  return String.fromCharCode(code);
}
/** Shorter values may occur by chance. */
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
 * The forms of a secret: as it is, in JSON, in addresses, in hex, in base64 (at any offset) and in the bytes
 * of a patch. Longest first, because one may contain another.
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

/** The part that does not depend on the text around it, in both alphabets; at offset 0 also with its end. */
function base64At(secret: string, offset: number): string[] {
  const encoded = Buffer.from(`${' '.repeat(offset)}${secret}`).toString('base64');
  const whole = Math.floor(((offset + Buffer.byteLength(secret)) * 8) / 6);
  const inner = encoded.slice(offset === 0 ? 0 : offset + 1, whole);
  const forms = offset === 0 ? [encoded, inner] : [inner];
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** How many characters at the end could begin a secret, or belong to one that begins before them. */
function heldBack(text: string, values: readonly string[]): number {
  const key = text.lastIndexOf('-----BEGIN ');
  const openKey = key >= 0 && !/-----END [A-Z ]*-----/.test(text.slice(key)) ? text.length - key : 0;
  const token = tokenAtEnd(text);
  const value = Math.max(0, ...values.map((secret) => (isToken.test(secret) ? 0 : overlap(text, secret))));
  const cut = text.length - Math.max(openKey, token, value);
  const held = text.length - Math.min(cut, ...startsOfCut(text, values, cut));
  // Bounded, because what is longer than any secret must not be held back for ever.
  return held >= heldCharsMax ? 0 : held;
}

/** Words of this form at the end of a text may be the beginning of a token. */
const isToken = /^[A-Za-z0-9_.=+/%~:-]+$/;

/** Counts from the end, because a search from the front would restart at every character of a long word. */
function tokenAtEnd(text: string): number {
  const most = Math.min(text.length, heldCharsMax);
  let length = 0;
  while (length < most && isToken.test(text.charAt(text.length - 1 - length))) length += 1;
  return length;
}

/** Where the secrets begin that this cut would split. */
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

/** The length of the longest end of the text that begins the secret, without being all of it. */
function overlap(text: string, secret: string): number {
  const most = Math.min(secret.length - 1, text.length);
  for (let length = most; length > 0; length -= 1) {
    if (secret.startsWith(text.slice(text.length - length))) return length;
  }
  return 0;
}

/**
 * The file that keeps what an agent printed: without secrets, and bounded in size. On a full disk it ends
 * early, and the run continues.
 */
export interface AgentLog {
  /** A remark by gza. */
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

/** Splits chunks into lines. A line longer than the limit is cut, and its rest is dropped. */
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
