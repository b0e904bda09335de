/** Escapes controls in everything that is written to the terminal. */
import { escapeCharacter } from './values.ts';

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
