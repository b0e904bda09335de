/** Most bytes of UTF-8 for one UTF-16 code unit. */
const MAX_BYTES_OF_UNIT = 3;

/**
 * Whether texts together take at most `maxBytes` of UTF-8. Counts bytes only where their length alone does not decide:
 * nearly all texts are far below the limit, and cost nothing.
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
