/** Bytes of UTF-8 that one UTF-16 code unit becomes, at most. */
const MAX_BYTES_OF_UNIT = 3;

/**
 * Whether texts take at most `maxBytes` of UTF-8 together. Counts bytes only where their length leaves it open, so that
 * texts far below the limit, which nearly all are, cost nothing.
 */
export function fitsInBytes(texts: readonly string[], maxBytes: number): boolean {
  let units = 0;
  for (const text of texts) units += text.length;
  if (units > maxBytes) return false;
  if (units * MAX_BYTES_OF_UNIT <= maxBytes) return true;
  let bytes = 0;
  for (const text of texts) bytes += Buffer.byteLength(text);
  return bytes <= maxBytes;
}
