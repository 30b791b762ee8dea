const simple: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  '\\': 92,
};

/**
 * Reads a path as git writes it in a patch, quoted or not, from bytes. Null when it is not one: bad quoting, bytes
 * that are not UTF-8. The strict decoding is the point: two programs must not read two names out of one.
 */
export function unquotePath(text: string): string | null {
  if (!text.startsWith('"')) return text.includes('"') || text.includes('\\') ? null : decodeUtf8(text);
  if (text.length < 2 || !text.endsWith('"')) return null;
  const bytes: string[] = [];
  let at = 1;
  while (at < text.length - 1) {
    const char = text[at] ?? '';
    if (char === '"') return null;
    if (char !== '\\') {
      bytes.push(char);
      at += 1;
      continue;
    }
    const escape = readEscape(text, at + 1);
    if (!escape || escape.next > text.length - 1) return null;
    bytes.push(String.fromCharCode(escape.byte));
    at = escape.next;
  }
  return decodeUtf8(bytes.join(''));
}

function readEscape(text: string, at: number): { byte: number; next: number } | null {
  const char = text[at] ?? '';
  const known = Object.hasOwn(simple, char) ? simple[char] : undefined;
  if (known !== undefined) return { byte: known, next: at + 1 };
  const octal = text.slice(at, at + 3);
  return /^[0-3][0-7]{2}$/.test(octal) ? { byte: Number.parseInt(octal, 8), next: at + 3 } : null;
}

/** Bytes, one a character, as text; null when they are not UTF-8. */
function decodeUtf8(bytes: string): string | null {
  let escaped = '';
  for (const char of bytes) {
    const code = char.charCodeAt(0);
    if (code > 255) return null;
    escaped += `%${code.toString(16).padStart(2, '0')}`;
  }
  try {
    return decodeURIComponent(escaped);
  } catch {
    return null;
  }
}
