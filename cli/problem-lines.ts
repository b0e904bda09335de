/** Shows the warnings of services on a terminal: one line for each cause. Logs have all of them, with their stacks. */

import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '#json/values.ts';
import { makeFolder } from '#security/folders.ts';

export type LogLine = {
  readonly level: number;
  readonly msg?: string;
  readonly code?: string;
  readonly host?: string;
  readonly port?: number;
  readonly reason?: string;
  readonly err?: { readonly message?: string };
};

/** Time without a line of a cause after which it is shown again, milliseconds. */
const QUIET_MS = 60_000;

/** Parses a line of a pino log; null for any other line. */
export function parseLine(line: string): LogLine | null {
  return line.startsWith('{') ? ((parseJson(line) as LogLine | undefined) ?? null) : null;
}

/** Returns the text of a line, and the innermost message of its error, which is the same in every task and service that it stops. */
export function problemOf({ msg, err, reason }: LogLine): {
  readonly text: string;
  readonly cause: string | null;
} {
  const why = err?.message ?? reason;
  const text = [msg, why].filter(Boolean).join(': ');
  return { text, cause: why?.split(': ').at(-1) ?? null };
}

/** Returns a function that prints lines, those of one cause once, until it was quiet for a minute; with the cause null, always. */
export function problemLines(print: (line: string) => void, clock = () => performance.now()) {
  const lastAt = new Map<string, number>();
  return (line: string, cause: string | null): void => {
    const now = clock();
    for (const [known, at] of lastAt) if (now - at >= QUIET_MS) lastAt.delete(known);
    if (cause === null || !lastAt.has(cause)) print(line);
    if (cause !== null) lastAt.set(cause, now);
  };
}

const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Returns a function that appends lines to a file, which becomes `<path>.1` at `maxBytes`. It never throws: what cannot be written is lost,
 * and `onProblem` gets a line then, and another one once lines can be written again.
 */
export function logFile(path: string, onProblem: (line: string) => void, maxBytes = MAX_BYTES) {
  let lost = 0;
  return (line: string): void => {
    try {
      makeFolder(dirname(path));
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      // Of the first line that was lost, a full disk may have taken a part.
      const text = `${lost > 0 && size > 0 ? '\n' : ''}${line}\n`;
      if (size > 0 && size + Buffer.byteLength(text) > maxBytes) renameSync(path, `${path}.1`);
      appendFileSync(path, text);
      if (lost > 0) onProblem(`${path} is written again; ${lost} lines are lost`);
      lost = 0;
    } catch (error) {
      if (lost === 0) onProblem(`${path} cannot be written, its lines are lost: ${(error as Error).message}`);
      lost += 1;
    }
  };
}
