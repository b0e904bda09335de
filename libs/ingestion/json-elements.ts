/** Splits a JSON array into the unchanged bytes of its elements. `body` must be the valid UTF-8 of a non-empty array. */
export function jsonElements(body: Buffer): Buffer[] {
  // A character for each byte.
  const text = body.toString('latin1');
  const elements: Buffer[] = [];
  let depth = 0;
  let inText = false;
  let from = 0;
  const end = (at: number): void => {
    const element = text.slice(from, at);
    const start = at - element.trimStart().length;
    elements.push(body.subarray(start, start + element.trim().length));
    from = at + 1;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (inText) {
      if (char === '\\') at++;
      else if (char === '"') inText = false;
    } else if (char === '"') inText = true;
    else if (char === '[' || char === '{') {
      depth++;
      if (depth === 1) from = at + 1;
    } else if (char === ']' || char === '}') {
      depth--;
      if (depth === 0) end(at);
    } else if (char === ',' && depth === 1) end(at);
  }
  return elements;
}
