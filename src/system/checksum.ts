import { createHash } from 'node:crypto';

/** Up to here it is quicker to count here than to load what counts quickly. */
const smallBytesMax = 262_144;

/** Tells apart what came about by chance; of short texts not what somebody made to look alike. */
export function checksum(bytes: Buffer): string {
  return bytes.length <= smallBytesMax ? sumOfWords(bytes) : createHash('sha1').update(bytes).digest('hex');
}

function sumOfWords(bytes: Buffer): string {
  const whole = bytes.length & ~3;
  const words = new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + whole));
  let a = 0x811c9dc5;
  let b = bytes.length;
  for (let n = 0; n < words.length; n++) {
    a = Math.imul(a ^ words[n]!, 0x01000193);
    b = (Math.imul(b, 31) + (a >>> 15) + words[n]!) | 0;
  }
  for (let n = whole; n < bytes.length; n++) a = Math.imul(a ^ bytes[n]!, 0x01000193);
  return `${(a >>> 0).toString(16)}-${(b >>> 0).toString(16)}-${bytes.length}`;
}
