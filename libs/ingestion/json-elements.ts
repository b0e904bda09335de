const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN = new Set([0x5b, 0x7b]);
const CLOSE = new Set([0x5d, 0x7d]);
const WHITESPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Splits a JSON array into the unchanged bytes of its elements. `body` must be the valid UTF-8 of a non-empty array. */
export function jsonElements(body: Buffer): Buffer[] {
  const elements: Buffer[] = [];
  let depth = 0;
  let inText = false;
  let from = 0;
  for (let at = 0; at < body.length; at++) {
    const byte = body[at] as number;
    if (inText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) {
      inText = true;
    } else if (OPEN.has(byte)) {
      depth++;
      if (depth === 1) from = at + 1;
    } else if (CLOSE.has(byte)) {
      depth--;
      if (depth === 0) elements.push(trim(body, from, at));
    } else if (byte === COMMA && depth === 1) {
      elements.push(trim(body, from, at));
      from = at + 1;
    }
  }
  return elements;
}

function trim(body: Buffer, from: number, to: number): Buffer {
  let start = from;
  let end = to;
  while (start < end && WHITESPACE.has(body[start] as number)) start++;
  while (start < end && WHITESPACE.has(body[end - 1] as number)) end--;
  return body.subarray(start, end);
}
