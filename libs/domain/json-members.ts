const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

/**
 * Splits a canonical JSON object into its names and the JSON text of their values, without serializing these again.
 * `value` is the parsed `text`.
 */
export function membersOf(
  text: string,
  value: Readonly<Record<string, unknown>>,
): [name: string, json: string][] {
  const names = Object.keys(value);
  const [only] = names;
  if (names.length === 1 && only !== undefined) {
    // `participants`, the longest value, comes in a part of its own.
    return [[only, text.slice(endOfText(text, 1) + 1, -1)]];
  }
  const members: [string, string][] = [];
  for (let at = 1; at < text.length - 1; ) {
    const colon = endOfText(text, at);
    const comma = endOfValue(text, colon + 1);
    members.push([nameIn(text, at, colon), text.slice(colon + 1, comma)]);
    at = comma + 1;
  }
  return members;
}

function nameIn(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? (JSON.parse(text.slice(start, end)) as string) : name;
}

/** Where the string that begins at `start` ends. */
function endOfText(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    at = text.indexOf('"', at);
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return at + 1;
  }
}

/** Where the value that begins at `start` ends: at the comma or bracket that follows it. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; ; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at) - 1;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        if (depth === 0) return at;
        depth--;
        break;
      case COMMA:
        if (depth === 0) return at;
        break;
    }
  }
}
