/** The connection to `/board/events`, for one page or for all tabs of a browser. */

/** Time without an event after which the connection is opened again, milliseconds, whatever its state in the browser. */
const REOPEN_AFTER_MS = 5_000;
/** Delays before a connection is opened again, milliseconds; the delay doubles with each failure. */
const REOPEN_MS = { first: 1_000, last: 15_000 };

/** The events that a part of the board may send. */
const NAMES = ['snapshot', 'beat', 'match', 'gone', 'table', 'feeds', 'refused'] as const;

export type StreamEventName = (typeof NAMES)[number];

/** Callbacks of a connection. `part`: the query of a part of the board, e.g. `event=5`; empty: the whole board. */
export type ConnectionEvents = {
  /** Called before the first event of a new connection, which may lead to another server. */
  readonly onOpen: () => void;
  /** `data`: JSON text. */
  readonly onEvent: (part: string, name: StreamEventName, data: string) => void;
  /** Called with each attempt that failed. */
  readonly onLost: () => void;
};

type Attempt = { readonly source: EventSource; readonly parts: readonly string[] };

/** Follows parts of the board by one `EventSource`; reopens it when it is lost or when the parts change. Call `tick` often. */
export class BoardConnection {
  readonly #events: ConnectionEvents;
  #parts: readonly string[] = [];
  /** The connection whose events count, and the one that replaces it with its first event. */
  #current: Attempt | undefined;
  #next: Attempt | undefined;
  #delay = REOPEN_MS.first;
  /** When to give up the connection, and when to open the next one, by `performance.now()`. */
  #giveUpAt = Number.POSITIVE_INFINITY;
  #openAt = Number.POSITIVE_INFINITY;

  constructor(events: ConnectionEvents) {
    this.#events = events;
  }

  /** The parts whose events arrive, or will. */
  get parts(): readonly string[] {
    return this.#parts;
  }

  /** Follows exactly these parts. The present connection stays until the new one has its first event. None: closes it. */
  follow(parts: readonly string[]): void {
    this.#parts = parts;
    if (parts.length > 0) this.#open();
    else this.#close();
  }

  /** Gives up a silent connection, and opens the next one in time. */
  tick(): void {
    const at = performance.now();
    if (at >= this.#giveUpAt) this.#giveUp();
    if (at >= this.#openAt) this.#open();
  }

  #open(): void {
    this.#openAt = Number.POSITIVE_INFINITY;
    if (this.#current === undefined) this.#giveUpAt = performance.now() + REOPEN_AFTER_MS;
    this.#next?.source.close();
    const search = new URLSearchParams(this.#parts.map((part) => ['follow', part]));
    const attempt = { source: new EventSource(`/board/events?${search}`), parts: this.#parts };
    this.#next = attempt;
    for (const [n, part] of attempt.parts.entries()) {
      for (const name of NAMES)
        attempt.source.addEventListener(`${n}/${name}`, ({ data }) =>
          this.#receive(attempt, part, name, data),
        );
    }
    attempt.source.addEventListener('error', () => {
      if (attempt === this.#next || attempt === this.#current) this.#giveUp();
    });
  }

  #receive(attempt: Attempt, part: string, name: StreamEventName, data: string): void {
    if (attempt === this.#next) {
      this.#current?.source.close();
      this.#current = attempt;
      this.#next = undefined;
      this.#events.onOpen();
    }
    if (attempt !== this.#current) return;
    this.#delay = REOPEN_MS.first;
    this.#giveUpAt = performance.now() + REOPEN_AFTER_MS;
    this.#events.onEvent(part, name, data);
  }

  #giveUp(): void {
    this.#close();
    this.#openAt = performance.now() + this.#delay;
    this.#delay = Math.min(this.#delay * 2, REOPEN_MS.last);
    this.#events.onLost();
  }

  #close(): void {
    for (const attempt of [this.#current, this.#next]) attempt?.source.close();
    this.#current = undefined;
    this.#next = undefined;
    this.#giveUpAt = Number.POSITIVE_INFINITY;
    this.#openAt = Number.POSITIVE_INFINITY;
  }
}
