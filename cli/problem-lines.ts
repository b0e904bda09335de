/** Shows the warnings of services on a terminal: one line for each cause. Logs have all of them, with their stacks. */
import { parseJson } from '#json/values.ts';

/** The fields of a line of a log that are shown. */
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
  /** Steady clock, milliseconds. */
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
