/**
 * Takes secrets out of a stream of text: values that are known, and what looks like a token of a known kind.
 * A secret may be cut in two by the stream, so the end of what came is held back while it could be one's begin.
 */
export interface Redactor {
  /** The part that is safe to show now. */
  write(chunk: string): string;
  /** The rest. */
  end(): string;
}

const mark = '[redacted]';
const heldCharsMax = 16_384;
/** Shorter values are words that would be struck out everywhere. */
const secretCharsMin = 8;

const shapes = new RegExp(
  [
    'gh[pousr]_[A-Za-z0-9]{20,255}',
    'github_pat_[A-Za-z0-9_]{20,255}',
    'glpat-[A-Za-z0-9_-]{20,}',
    'sk-[A-Za-z0-9_-]{20,}',
    'AIza[A-Za-z0-9_-]{30,}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'xox[abeprs]-[A-Za-z0-9-]{10,}',
    'npm_[A-Za-z0-9]{30,}',
    'lin_(?:api|oauth)_[A-Za-z0-9]{20,}',
    // From the beginning of its word: a search that began at each `eyJ` of a long word would not end.
    '(?<![A-Za-z0-9_-])(?=[A-Za-z0-9_-]*?eyJ[A-Za-z0-9_-]{10})[A-Za-z0-9_-]+\\.eyJ[A-Za-z0-9_-]{10,}\\.[A-Za-z0-9_-]{5,}',
    '-----BEGIN [A-Z ]*PRIVATE KEY-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)',
  ].join('|'),
  'g',
);

export function redact(text: string, secrets: readonly string[]): string {
  const redactor = openRedactor(secrets);
  return redactor.write(text) + redactor.end();
}

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

/** A secret as it is, inside JSON, and as git and HTTP send it. Longest first, since one may hold another. */
function spellings(secrets: readonly string[]): string[] {
  const long = secrets.filter((secret) => secret.trim().length >= secretCharsMin);
  const all = long.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    Buffer.from(`x-access-token:${secret}`).toString('base64'),
  ]);
  return [...new Set(all)].sort((a, b) => b.length - a.length);
}

/** How many characters at the end could be the beginning of a secret, or belong to one that begins before them. */
function heldBack(text: string, values: readonly string[]): number {
  const key = text.lastIndexOf('-----BEGIN ');
  const openKey = key >= 0 && !/-----END [A-Z ]*-----/.test(text.slice(key)) ? text.length - key : 0;
  const token = tokenAtEnd(text);
  const value = Math.max(0, ...values.map((secret) => overlap(text, secret)));
  const cut = text.length - Math.max(openKey, token, value);
  const held = text.length - Math.min(cut, ...startsOfCut(text, values, cut));
  // A bound: what is longer than any secret is not held back for ever.
  return held >= heldCharsMax ? 0 : held;
}

/** From the end: a search from the front would begin anew at every character of a long word. */
function tokenAtEnd(text: string): number {
  const most = Math.min(text.length, heldCharsMax);
  let length = 0;
  while (length < most && /[A-Za-z0-9_.=+/-]/.test(text.charAt(text.length - 1 - length))) length += 1;
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
