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

/** Prints lines, those of one cause once, until it was quiet for a minute. */
export class ProblemLines {
  readonly #print: (line: string) => void;
  readonly #now: () => number;
  readonly #lastAt = new Map<string, number>();

  constructor(print: (line: string) => void, now: () => number = () => performance.now()) {
    this.#print = print;
    this.#now = now;
  }

  /** `cause`: null for a line that is always printed. */
  report(line: string, cause: string | null): void {
    const now = this.#now();
    const lastAt = cause === null ? undefined : this.#lastAt.get(cause);
    for (const [known, at] of this.#lastAt) if (now - at >= QUIET_MS) this.#lastAt.delete(known);
    if (cause !== null) this.#lastAt.set(cause, now);
    if (lastAt === undefined || now - lastAt >= QUIET_MS) this.#print(line);
  }
}

type LogFileOptions = {
  readonly path: string;
  /** Size at which the file becomes `<path>.1`, bytes; the previous one is deleted. Default 32 MiB. */
  readonly maxBytes?: number;
  /** Called once when lines cannot be written, and once when they can again: one line. */
  readonly onProblem: (line: string) => void;
};

const MAX_BYTES = 32 * 1024 * 1024;

/** Appends lines to a file. Never throws: what cannot be written is lost, and reported. */
export class LogFile {
  readonly #options: LogFileOptions;
  #lost = 0;

  constructor(options: LogFileOptions) {
    this.#options = options;
  }

  write(line: string): void {
    const { path, maxBytes = MAX_BYTES, onProblem } = this.#options;
    try {
      makeFolder(dirname(path));
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      // Of the first line that was lost, a full disk may have taken a part.
      const text = `${this.#lost > 0 && size > 0 ? '\n' : ''}${line}\n`;
      if (size > 0 && size + Buffer.byteLength(text) > maxBytes) renameSync(path, `${path}.1`);
      appendFileSync(path, text);
      if (this.#lost > 0) onProblem(`${path} is written again; ${this.#lost} lines are lost`);
      this.#lost = 0;
    } catch (error) {
      if (this.#lost === 0)
        onProblem(`${path} cannot be written, its lines are lost: ${(error as Error).message}`);
      this.#lost += 1;
    }
  }
}
