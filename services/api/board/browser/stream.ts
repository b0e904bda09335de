/** The reader's end of `/board/events`: it says what arrives, and whether anything does. */

/** Beats come every ten seconds; without one for so long the connection is lost, whatever the browser believes. */
const LOST_AFTER_MS = 25_000;
const REOPEN_MS = { first: 1_000, last: 15_000 };

export type StreamEvents = {
  /** Data of an event by its name. */
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  /** Called with true as events arrive (again), with false when they stop. */
  readonly onConnection: (connected: boolean) => void;
};

/** Follows a stream for as long as the page lives, and opens it again whenever it is lost. */
export function followStream(url: string, { on, onConnection }: StreamEvents): void {
  let source: EventSource | undefined;
  let lost: ReturnType<typeof setTimeout> | undefined;
  let wait = REOPEN_MS.first;

  const alive = (): void => {
    wait = REOPEN_MS.first;
    onConnection(true);
    clearTimeout(lost);
    lost = setTimeout(reopen, LOST_AFTER_MS);
  };
  const reopen = (): void => {
    onConnection(false);
    source?.close();
    clearTimeout(lost);
    lost = setTimeout(open, wait);
    wait = Math.min(wait * 2, REOPEN_MS.last);
  };
  const open = (): void => {
    source = new EventSource(url);
    for (const [name, take] of Object.entries(on)) {
      source.addEventListener(name, (event) => {
        alive();
        take(JSON.parse(event.data));
      });
    }
    source.addEventListener('error', reopen);
    lost = setTimeout(reopen, LOST_AFTER_MS);
  };
  open();
}

/** The server's clock, carried on by the browser's: the page's own may be wrong. */
export class ServerClock {
  #offset = Date.now() / 1000 - performance.now() / 1000;

  /** Takes what the server's clock shows, Unix seconds. */
  set(now: number): void {
    this.#offset = now - performance.now() / 1000;
  }

  /** Unix seconds. */
  now(): number {
    return this.#offset + performance.now() / 1000;
  }
}
