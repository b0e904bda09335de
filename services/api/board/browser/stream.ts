/** Follows a part of the board while the page is visible: passes on events, and watches the age of the last heartbeat. */
import { scriptUrl } from './dom.ts';
import { type Heartbeat, HeartbeatAge } from './heartbeat.ts';

/** Age from which a heartbeat no longer counts, milliseconds. They arrive every second; the content is withdrawn within two. */
const FRESH_MS = 1_750;
/** Time without an event after which the connection is opened again, milliseconds, whatever its state in the browser. */
const REOPEN_AFTER_MS = 5_000;
/** Delays before a connection is opened again, milliseconds; the delay doubles with each failure. */
const REOPEN_MS = { first: 1_000, last: 15_000 };
/** Interval of the page's own timer, milliseconds. The metronome ticks more often, and also where the browser slows timers. */
const TICK_MS = 200;

/** The events that a part of the board may send. */
const NAMES = ['snapshot', 'beat', 'match', 'gone', 'table', 'feeds'] as const;

type StreamEventName = (typeof NAMES)[number];

/** `fresh`: heartbeats arrive; `lost`: the last one is too old; `awaited`: none has arrived yet. */
type ConnectionState = 'fresh' | 'lost' | 'awaited';

/** Callbacks of a followed stream. */
type StreamEvents = {
  /** Called with the data of an event, by the event's name. */
  readonly on: Readonly<Partial<Record<StreamEventName, (data: unknown) => void>>>;
  /** Called when the state of the connection changes. `asOf`: when the server sent what the page shows, Unix seconds. */
  readonly onConnection: (connection: ConnectionState, asOf: number) => void;
  /** Called ten times a second with the age of the last heartbeat, seconds; null before the first. */
  readonly onTick: (age: number | null) => void;
};

/** Follows a part of the board as long as the page lives. `part`: its query for `/board/events`; empty: the whole board. */
export function followStream(part: string, { on, onConnection, onTick }: StreamEvents): void {
  const last = new HeartbeatAge();
  let state: ConnectionState = 'awaited';
  let isOpen = false;
  let hasFailed = false;
  /** The server's time of the last heartbeat. */
  let asOf = Date.now() / 1000;

  const connection = new BoardConnection(`/board/events?${part}`, {
    onOpen: () => last.connect(),
    onEvent(name, text) {
      const data: unknown = JSON.parse(text);
      on[name]?.(data);
      // After the page's own callback: it has the snapshot before the connection counts as fresh.
      if (name !== 'snapshot' && name !== 'beat') return;
      const { now, steady } = data as Heartbeat;
      last.receive(steady, performance.now());
      asOf = now;
      isOpen = true;
      check();
    },
    onLost() {
      isOpen = false;
      hasFailed = true;
      check();
    },
  });
  const check = (): void => {
    const age = last.age(performance.now());
    const isFresh = isOpen && age < FRESH_MS;
    const current = isFresh ? 'fresh' : isOpen || hasFailed ? 'lost' : 'awaited';
    if (current !== state) {
      state = current;
      onConnection(state, asOf);
    }
    onTick(Number.isFinite(age) ? age / 1000 : null);
  };
  everyTick(() => {
    check();
    connection.tick();
  });
}

type ConnectionEvents = {
  /** Called before the first event of a new connection, which may lead to another server. */
  readonly onOpen: () => void;
  /** `data`: JSON text. */
  readonly onEvent: (name: StreamEventName, data: string) => void;
  /** Called when the connection is lost, closed, or could not be opened. */
  readonly onLost: () => void;
};

/**
 * An `EventSource` that is opened again when it is lost. Call `tick` often. A hidden page closes it: a browser opens no more than six
 * connections to a server that speaks HTTP/1.1, and has many tabs.
 */
class BoardConnection {
  readonly #url: string;
  readonly #events: ConnectionEvents;
  #source: EventSource | undefined;
  #delay = REOPEN_MS.first;
  /** When to give up the connection, and when to open the next one, by `performance.now()`. */
  #giveUpAt = Number.POSITIVE_INFINITY;
  #openAt = 0;

  constructor(url: string, events: ConnectionEvents) {
    this.#url = url;
    this.#events = events;
  }

  /** Gives up a silent connection, and opens the next one in time. */
  tick(): void {
    const at = performance.now();
    if (document.hidden) {
      if (this.#source !== undefined) this.#close();
      this.#openAt = 0;
    } else if (this.#source === undefined) {
      if (at >= this.#openAt) this.#open();
    } else if (at >= this.#giveUpAt) this.#giveUp();
  }

  #open(): void {
    const source = new EventSource(this.#url);
    this.#source = source;
    this.#giveUpAt = performance.now() + REOPEN_AFTER_MS;
    let isFirst = true;
    for (const name of NAMES)
      source.addEventListener(name, ({ data }) => {
        if (source !== this.#source) return;
        if (isFirst) this.#events.onOpen();
        isFirst = false;
        this.#delay = REOPEN_MS.first;
        this.#giveUpAt = performance.now() + REOPEN_AFTER_MS;
        this.#events.onEvent(name, data);
      });
    source.addEventListener('error', () => {
      if (source === this.#source) this.#giveUp();
    });
  }

  #giveUp(): void {
    this.#openAt = performance.now() + this.#delay;
    this.#delay = Math.min(this.#delay * 2, REOPEN_MS.last);
    this.#close();
  }

  #close(): void {
    this.#source?.close();
    this.#source = undefined;
    this.#events.onLost();
  }
}

/** Calls `onTick` ten times a second as long as the page lives, and at once when it is hidden or seen again. */
function everyTick(onTick: () => void): void {
  setInterval(onTick, TICK_MS);
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, onTick);
  addEventListener('pageshow', onTick);
  const url = scriptUrl(new URL('./metronome.ts', import.meta.url).href);
  new Worker(url, { type: 'module' }).addEventListener('message', onTick);
  onTick();
}
