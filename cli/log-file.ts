/** The log of a process that `touchline up` runs: a file with a bound, whose disk may be full. */
import { appendFileSync, renameSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from '#security/folders.ts';

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
  #bytes: number | null = null;
  #lost = 0;

  constructor(options: LogFileOptions) {
    this.#options = options;
  }

  write(line: string): void {
    const { path, onProblem } = this.#options;
    try {
      this.#append(`${line}\n`);
      if (this.#lost > 0) onProblem(`${path} is written again; ${this.#lost} lines are lost`);
      this.#lost = 0;
    } catch (error) {
      this.#cut();
      if (this.#lost === 0)
        onProblem(`${path} cannot be written, its lines are lost: ${(error as Error).message}`);
      this.#lost += 1;
    }
  }

  /** Removes the part of a line for which the disk had room. */
  #cut(): void {
    const { path } = this.#options;
    try {
      if (this.#bytes !== null && statSync(path).size > this.#bytes) truncateSync(path, this.#bytes);
    } catch {
      // The part stays, and the next line begins behind it.
    }
    this.#bytes = null;
  }

  #append(text: string): void {
    const { path, maxBytes = MAX_BYTES } = this.#options;
    if (this.#bytes === null) {
      makeFolder(dirname(path));
      this.#bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    }
    const bytes = Buffer.byteLength(text);
    if (this.#bytes > 0 && this.#bytes + bytes > maxBytes) {
      renameSync(path, `${path}.1`);
      this.#bytes = 0;
    }
    appendFileSync(path, text);
    this.#bytes += bytes;
  }
}
