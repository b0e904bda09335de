/** What reaches the terminal: the one place that every output of a command passes. */
import { once } from 'node:events';
import { escaped } from './values.ts';

/** A control character with the end of a colour's sequence where one follows, or one that turns or breaks lines. */
const SUSPECT = /(\p{Cc})(\[[\d;]*m)?|[\p{Bidi_Control}\u2028\u2029]/gu;
const ESCAPE = '\u001b';
const PASS = new Set(['\t', '\r', '\n']);

/** A text without characters that move the cursor, retitle a window or turn the order of reading: these are shown, as in JSON. */
export function harmless(text: string): string {
  return text.replace(SUSPECT, (all: string, control = '', colour = '') => {
    // Commands set colours themselves.
    if (PASS.has(control) || (control === ESCAPE && colour !== '')) return all;
    return escaped(all) + colour;
  });
}

/** Writes a line to standard output. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** The same; waits while the reader of the output is slower. */
export async function sayInTime(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

type Write = (text: string) => boolean;
type Output = { write: Write };

const unguarded = new WeakMap<Output, Write>();

/** Has every text that is written to a stream be `harmless`. */
export function guard(stream: Output): void {
  const write: Write = stream.write.bind(stream);
  unguarded.set(stream, write);
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    Reflect.apply(write, stream, [typeof chunk === 'string' ? harmless(chunk) : chunk, ...rest]);
}

/** Writes to a guarded stream what moves the cursor: for a screen of the command's own, whose lines are `harmless`. */
export function writeControls(stream: Output, text: string): boolean {
  return (unguarded.get(stream) ?? stream.write.bind(stream))(text);
}
