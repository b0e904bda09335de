/** Decoded values as text. */
import { isUtf8 } from 'node:buffer';

/** Returns bytes as text when they are valid UTF-8, else as base64. */
export function bytesText(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString(isUtf8(bytes) ? 'utf8' : 'base64');
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

function escapeCharacter(character: string): string {
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

/** A control character, with the rest of a colour sequence when one follows; or a bidirectional control or line separator. */
const SUSPECT = /(\p{Cc})(\[[\d;]*m)?|[\p{Bidi_Control}\u2028\u2029]/gu;
const ESCAPE = '\u001b';
const ALLOWED = new Set(['\t', '\r', '\n']);

/** Escapes, as JSON does, what moves the cursor, retitles a window or changes the reading order. Keeps colours. */
export function escapeControls(text: string): string {
  return text.replace(SUSPECT, (all: string, control = '', colour = '') => {
    // Commands colour their own output.
    if (ALLOWED.has(control) || (control === ESCAPE && colour !== '')) return all;
    return escapeCharacter(all) + colour;
  });
}

type Write = (text: string) => boolean;
type Output = { write: Write };

const unguarded = new WeakMap<Output, Write>();

/** Makes a stream escape every text that is written to it, as `escapeControls` does. */
export function guard(stream: Output): void {
  const write: Write = stream.write.bind(stream);
  unguarded.set(stream, write);
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    Reflect.apply(write, stream, [typeof chunk === 'string' ? escapeControls(chunk) : chunk, ...rest]);
}

/** Writes a text with cursor controls to a guarded stream. The caller escapes its lines. */
export function writeControls(stream: Output, text: string): boolean {
  return (unguarded.get(stream) ?? stream.write.bind(stream))(text);
}
