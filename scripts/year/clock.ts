/** The clock of a played year: libfaketime moves the wall clock of processes, their monotonic clock runs as ever. */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu'].map(
  (folder) => `${folder}/faketime/libfaketimeMT.so.1`,
);

/** The path of libfaketime; undefined where it is not installed. */
export const LIBFAKETIME = LIBRARIES.find((path) => existsSync(path));

/** A wall clock that steps. Processes that start with its environment follow it at once; it advances at real pace between steps. */
export class SteppedClock {
  readonly #library: string;
  readonly #file: string;
  #offsetMs = 0;

  /** Creates the clock at a time, Unix milliseconds, with its file in the folder. */
  constructor(library: string, folder: string, at: number) {
    this.#library = library;
    this.#file = join(folder, 'clock');
    this.setTo(at);
  }

  /** The environment of a process on this clock. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // Otherwise waits of Java with a timeout return at once.
      FAKETIME_FORCE_MONOTONIC_FIX: '0',
    };
  }

  /** Now, Unix milliseconds. */
  now(): number {
    return Date.now() + this.#offsetMs;
  }

  /** Steps to a time, Unix milliseconds, rounded to a second. */
  setTo(at: number): void {
    this.#offsetMs = Math.round((at - Date.now()) / 1_000) * 1_000;
    const next = `${this.#file}.next`;
    writeFileSync(next, `${this.#offsetMs < 0 ? '' : '+'}${this.#offsetMs / 1_000}\n`);
    // A process never reads half of it.
    renameSync(next, this.#file);
  }
}
