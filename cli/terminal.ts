/** The terminal of a command: its output, whose controls `guard` escapes, and requests to stop. */
import { once } from 'node:events';
import { onStopRequest } from '#service/stop-requests.ts';
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

/** Writes a line to standard output. */
export function printLine(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes a line to standard output, and waits while its reader is slower. */
export async function printLineAndDrain(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
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

/** Runs work until its end or a request to stop, which aborts `signal`. A second request ends the process. */
export async function untilStopped<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const removeHandlers = onStopRequest({ graceful: () => stop.abort(), force: (code) => process.exit(code) });
  try {
    return await work(stop.signal);
  } finally {
    stop.abort();
    removeHandlers();
  }
}

/**
 * Handles requests to stop a platform: until `started` is called, they end this process with `exitCode`, and with it a platform
 * that is still starting; later they call `onStop` and abort `signal`. A second request ends the process.
 */
export function platformStopRequests({
  exitCode,
  onStop = () => {},
}: {
  readonly exitCode: number;
  readonly onStop?: (reason: string) => void;
}) {
  const stopping = new AbortController();
  let hasStarted = false;
  onStopRequest({
    graceful: (reason) => {
      if (!hasStarted) process.exit(exitCode);
      onStop(reason);
      stopping.abort();
    },
    force: (code) => process.exit(code),
  });
  return {
    signal: stopping.signal,
    started(): void {
      hasStarted = true;
    },
  };
}
