/** Everything that says whether a match may be traded, looked at ten times a second. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { atEnd } from '../../support/at-end.ts';
import { bareEnvironment } from '../../support/environment.ts';
import { untilTrue } from '../../support/poll.ts';

/** What a surface says: that the match may be traded, that it may not, or that it is not in play; null: it says nothing now. */
export type Said = 'safe' | 'halted' | 'not_in_play' | null;

/** A surface, and how to read what it says now. */
export type Surface = {
  readonly name: string;
  readonly read: () => Said | Promise<Said>;
};

const EVERY_MS = 100;
/** How much longer than it may a surface is watched, to see that it says safe no more. */
const SEEN_MS = 1_000;

/** Reads surfaces until the test ends. */
export class SurfaceWatch {
  readonly #last = new Map<string, { said: Said; safeAt: number }>();
  #lateMs = 0;

  constructor(surfaces: readonly Surface[]) {
    const ended = new AbortController();
    const reading = surfaces.map((surface) => this.#follow(surface, ended.signal));
    atEnd(async () => {
      ended.abort();
      await Promise.all(reading);
    });
  }

  /** Names of all surfaces. */
  get names(): readonly string[] {
    return [...this.#last.keys()];
  }

  /** By how much a timer of this process was late at most since `safeAfter` was called last, milliseconds: by so much the machine delays others too. */
  get lateMs(): number {
    return Math.round(this.#lateMs);
  }

  /** Waits until each of these says that. */
  async all(said: Said, names: readonly string[] = this.names): Promise<void> {
    const others = () => this.others(said, names);
    await untilTrue(`all say ${said}`, () => others().length === 0).catch((error: unknown) => {
      throw new Error(`${String(error)}: not ${others().join(', ')}`);
    });
  }

  /** Those of these that say something else now. */
  others(said: Said, names: readonly string[] = this.names): readonly string[] {
    return names.filter((name) => this.#last.get(name)?.said !== said);
  }

  /** For how long each of these went on to say safe after `since`, milliseconds, once it is late enough to know. */
  async safeAfter(
    since: number,
    withinMs: number,
    names: readonly string[] = this.names,
  ): Promise<Record<string, number>> {
    this.#lateMs = 0;
    await delay(since + withinMs + SEEN_MS - performance.now());
    const after = names.map((name) => [name, (this.#last.get(name)?.safeAt ?? 0) - since] as const);
    return Object.fromEntries(after.map(([name, ms]) => [name, Math.max(0, Math.round(ms))]));
  }

  async #follow({ name, read }: Surface, signal: AbortSignal): Promise<void> {
    const last = { said: null as Said, safeAt: Number.NEGATIVE_INFINITY };
    this.#last.set(name, last);
    while (!signal.aborted) {
      const at = performance.now();
      last.said = await Promise.resolve(read()).catch(() => null);
      // What it said was so when it was asked: the way to this process is none of its time.
      if (last.said === 'safe') last.safeAt = at;
      const due = performance.now() + EVERY_MS;
      await delay(EVERY_MS, undefined, { signal }).catch(() => {});
      this.#lateMs = Math.max(this.#lateMs, performance.now() - due);
    }
  }
}

/** A program whose output is read; ended with the test. */
export class ProgramOutput {
  text = '';
  readonly child: ChildProcess;

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.child = spawn(command, args, {
      env: { ...bareEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    atEnd(() => this.child.kill('SIGKILL'));
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      // The end is what counts.
      this.text = `${this.text}${text}`.slice(-20_000);
    });
  }

  /** Calls for each line from now on. */
  onLine(call: (line: string) => void): void {
    if (this.child.stdout !== null) createInterface(this.child.stdout).on('line', call);
  }

  /** The last match of a pattern in what a reader sees, its first group; null where there is none. */
  last(pattern: RegExp): string | null {
    return [...stripVTControlCharacters(this.text).matchAll(pattern)].at(-1)?.[1] ?? null;
  }
}
