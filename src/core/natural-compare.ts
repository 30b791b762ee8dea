/** Orders ids as a person does: `M2` before `M10`. A total order that no locale changes. */
export function naturalCompare(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    if (isDigit(a, i) && isDigit(b, j)) {
      const endA = digitsEnd(a, i);
      const endB = digitsEnd(b, j);
      const byNumber = compareDigits(a.slice(i, endA), b.slice(j, endB));
      if (byNumber !== 0) return byNumber;
      i = endA;
      j = endB;
    } else {
      const byChar = a.charCodeAt(i) - b.charCodeAt(j);
      if (byChar !== 0) return byChar;
      i++;
      j++;
    }
  }
  const byLength = a.length - i - (b.length - j);
  return byLength !== 0 ? byLength : compareText(a, b);
}

/** By code units, as `sort()` does. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Runs of digits of any length, so not as numbers. */
function compareDigits(a: string, b: string): number {
  const x = a.replace(/^0+/, '');
  const y = b.replace(/^0+/, '');
  return x.length !== y.length ? x.length - y.length : compareText(x, y);
}

function digitsEnd(text: string, from: number): number {
  let end = from;
  while (end < text.length && isDigit(text, end)) end++;
  return end;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}
