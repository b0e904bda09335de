/** Reads every surface that shows whether a match may be traded, several times a second. */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { atEnd } from '../../support/at-end.ts';
import { bareEnvironment } from '../../support/environment.ts';
import { times } from '../../support/harness.ts';
import { untilTrue } from '../../support/poll.ts';

/**
 * The state that a surface shows: the match may be traded, may not, or is not in play; null: the surface shows nothing.
 */
export type SurfaceState = 'safe' | 'halted' | 'not_in_play' | null;

/** A surface, with a function that reads its current state. */
export type Surface = {
  readonly name: string;
  readonly read: () => SurfaceState | Promise<SurfaceState>;
};

/** Interval of readings, milliseconds. */
export const READING_INTERVAL_MS = times(100, 200);
/** Further time for which a surface is watched, to check that it no longer shows safe, milliseconds. */
const SEEN_MS = 1_000;

/** Reads surfaces until the test ends. */
export class SurfaceWatch {
  readonly #last = new Map<string, { said: SurfaceState; safeAt: number }>();
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

  /**
   * Maximum delay of a timer of this process since the last call of `safeAfter`, milliseconds: the machine may delay
   * other processes as much.
   */
  get lateMs(): number {
    return Math.round(this.#lateMs);
  }

  /** Waits until each of these surfaces shows that state. */
  async all(said: SurfaceState, names: readonly string[] = this.names): Promise<void> {
    const others = () => this.others(said, names);
    await untilTrue(`all say ${said}`, () => others().length === 0).catch((error: unknown) => {
      throw new Error(`${String(error)}: not ${others().join(', ')}`);
    });
  }

  /** Returns those of these surfaces that show another state. */
  others(said: SurfaceState, names: readonly string[] = this.names): readonly string[] {
    return names.filter((name) => this.#last.get(name)?.said !== said);
  }

  /**
   * Returns how long each of these surfaces still showed safe after `since`, milliseconds. Waits until this is certain.
   */
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
    const last = { said: null as SurfaceState, safeAt: Number.NEGATIVE_INFINITY };
    this.#last.set(name, last);
    while (!signal.aborted) {
      const at = performance.now();
      last.said = await Promise.resolve(read()).catch(() => null);
      // The state counts at the time of the request: the way to this process is not part of the surface's time.
      if (last.said === 'safe') last.safeAt = at;
      const due = performance.now() + READING_INTERVAL_MS;
      await delay(READING_INTERVAL_MS, undefined, { signal }).catch(() => {});
      this.#lateMs = Math.max(this.#lateMs, performance.now() - due);
    }
  }
}

/** A program whose output is read; it is stopped after the test. */
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
      // Only the end of the output matters.
      this.text = `${this.text}${text}`.slice(-20_000);
    });
  }

  /** Calls `call` for each further line. */
  onLine(call: (line: string) => void): void {
    if (this.child.stdout !== null) createInterface(this.child.stdout).on('line', call);
  }

  /** Returns the first group of the last match of a pattern in the visible output; null without a match. */
  last(pattern: RegExp): string | null {
    return [...stripVTControlCharacters(this.text).matchAll(pattern)].at(-1)?.[1] ?? null;
  }
}
