/** Decoded values as text. */

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns bytes as text when they are valid UTF-8, else as base64. */
export function bytesText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('base64');
  }
}

/** Control characters other than line ends and tabs. */
const CONTROL = /[^\P{Cc}\t\r\n]/u;

/** Returns bytes for a person: as UTF-8 text without control characters, else as base64. */
export function readableBytes(bytes: Uint8Array): string {
  const text = bytesText(bytes);
  return CONTROL.test(text) ? Buffer.from(bytes).toString('base64') : text;
}

/** Escapes foreign text for one line on a terminal: controls, line separators, and characters that change the reading order. */
export function escapeLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, escapeCharacter);
}

/** Returns a character as an escape of JSON. */
export function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns a decoded value as one line of JSON, its bytes as `bytesText` does. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    // A Buffer has already turned itself into an object of numbers in `shown`.
    const own = this[key];
    return own instanceof Uint8Array ? bytesText(own) : shown;
  });
}

/** Returns Unix milliseconds as `2026-11-21T20:31:07Z`. */
export function secondsText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
