/** Decoded values as text. */

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Bytes as text where they are UTF-8, else as base64. */
export function bytesText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('base64');
  }
}

/** Control characters but for line ends and tabs: in bytes that are text there are none. */
const CONTROL = /[^\P{Cc}\t\r\n]/u;

/** Bytes for a person: as text where they are text, else as base64. */
export function bytesShown(bytes: Uint8Array): string {
  const text = bytesText(bytes);
  return CONTROL.test(text) ? Buffer.from(bytes).toString('base64') : text;
}

/**
 * Text of others for a line on a terminal: characters that control it, or turn the order of what is read, are shown, not
 * obeyed. What is in a dead letter may have been sent by anyone who knows the secret.
 */
export function lineShown(text: string): string {
  return text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, escaped);
}

/** A character as JSON may have it. */
export function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A value as one line of JSON, its fields by the schema's names; bytes as `bytesText` has them. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    // By the time it is given here, a Buffer has turned itself into an object of numbers.
    const own = this[key];
    return own instanceof Uint8Array ? bytesText(own) : shown;
  });
}
