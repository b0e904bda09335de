/** Follows `/board/events`: passes on events, and watches the age of the last heartbeat. */
import { type ConnectionState, type Heartbeat, HeartbeatAge, type ShownMoment } from '../shown/heartbeat.ts';
import { scriptUrl } from './morph.ts';

/** Age from which a heartbeat no longer counts, milliseconds. They arrive every second; the content is withdrawn within two. */
const FRESH_MS = 1_750;
/** Time without a heartbeat after which the connection is opened again, milliseconds, whatever its state in the browser. */
const REOPEN_AFTER_MS = 5_000;
/** Delays before a connection is opened again, milliseconds; the delay doubles with each failure. */
const REOPEN_MS = { first: 1_000, last: 15_000 };
/** Interval of the page's own timer, milliseconds. The metronome ticks more often, and also in a hidden page. */
const TICK_MS = 200;

/** Callbacks of a followed stream. */
export type StreamEvents = {
  /** Called with the data of an event, by the event's name. */
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  /** Called when the state of the connection changes. */
  readonly onConnection: (connection: ConnectionState) => void;
  /** Called ten times a second with the age of the last heartbeat, seconds; null before the first. */
  readonly onTick: (age: number | null) => void;
};

/** Follows a stream as long as the page lives; reopens a lost connection. Returns a function that returns the current moment. */
export function followStream(url: string, { on, onConnection, onTick }: StreamEvents): () => ShownMoment {
  const last = new HeartbeatAge();
  let source: EventSource | undefined;
  let connection: ConnectionState = 'awaited';
  let isOpen = false;
  let hasFailed = false;
  let delay = REOPEN_MS.first;
  /** The server's clock minus the page's monotonic clock, seconds. */
  let offset = Number.NaN;
  /** When to give up the connection, and when to open the next one, by the page's monotonic clock. */
  let [giveUpAt, openAt] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];

  const receive = ({ now, steady }: Heartbeat): void => {
    const at = performance.now();
    last.receive(steady, at);
    offset = now - at / 1000;
    isOpen = true;
    delay = REOPEN_MS.first;
    giveUpAt = at + REOPEN_AFTER_MS;
    check();
  };
  const giveUp = (): void => {
    source?.close();
    isOpen = false;
    hasFailed = true;
    giveUpAt = Number.POSITIVE_INFINITY;
    openAt = performance.now() + delay;
    delay = Math.min(delay * 2, REOPEN_MS.last);
    check();
  };
  const open = (): void => {
    openAt = Number.POSITIVE_INFINITY;
    giveUpAt = performance.now() + REOPEN_AFTER_MS;
    last.connect();
    source = new EventSource(url);
    for (const [name, take] of Object.entries(on))
      source.addEventListener(name, (event) => take(JSON.parse(event.data)));
    // Added last: the page has the snapshot before the connection counts as fresh.
    for (const name of ['snapshot', 'beat'])
      source.addEventListener(name, (event) => receive(JSON.parse(event.data) as Heartbeat));
    source.addEventListener('error', giveUp);
  };
  const check = (): void => {
    const at = performance.now();
    const age = last.age(at);
    const isFresh = isOpen && age < FRESH_MS;
    const current = isFresh ? 'fresh' : isOpen || hasFailed ? 'lost' : 'awaited';
    if (current !== connection) {
      connection = current;
      onConnection(connection);
    }
    onTick(Number.isFinite(age) ? age / 1000 : null);
    if (at >= giveUpAt) giveUp();
    if (at >= openAt) open();
  };
  open();
  everyTick(check);
  return () => {
    const at = performance.now() / 1000;
    const now = offset + at - (connection === 'lost' ? last.age(at * 1000) / 1000 : 0);
    return { now: Number.isNaN(now) ? Date.now() / 1000 : now, connection };
  };
}

/** Calls `onTick` ten times a second as long as the page lives, and before a page that slept or was hidden is seen again. */
function everyTick(onTick: () => void): void {
  setInterval(onTick, TICK_MS);
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, onTick);
  addEventListener('pageshow', onTick);
  const url = scriptUrl(new URL('./metronome.js', import.meta.url).href);
  new Worker(url, { type: 'module' }).addEventListener('message', onTick);
}
