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

type FollowedStream = {
  /** Called with the data of an event, by the event's name. */
  readonly on: Readonly<Record<'snapshot' | 'match' | 'gone' | 'table' | 'feeds', (data: unknown) => void>>;
  /** Called when heartbeats arrive again, or the last one is too old. `asOf`: when the server sent what the page shows, Unix seconds. */
  readonly onConnection: (connection: 'fresh' | 'lost', asOf: number) => void;
  /** Called ten times a second with the age of the last heartbeat, seconds; null before the first. */
  readonly onTick: (age: number | null) => void;
};

/**
 * Follows a part of the board as long as the page lives. `part`: its query for `/board/events`; empty: the whole board. A hidden page
 * closes its connection: a browser opens no more than six to a server that speaks HTTP/1.1, and has many tabs.
 */
export function followStream(part: string, { on, onConnection, onTick }: FollowedStream): void {
  const last = new HeartbeatAge();
  let source: EventSource | undefined;
  let connection: 'awaited' | 'fresh' | 'lost' = 'awaited';
  /** Whether a heartbeat of this connection has arrived. */
  let isOpen = false;
  let hasFailed = false;
  /** The server's time of the last heartbeat. */
  let asOf = Date.now() / 1000;
  let delay = REOPEN_MS.first;
  /** When to give up the connection, or else to open the next one, by `performance.now()`. */
  let nextAt = 0;

  const open = (): void => {
    const opened = new EventSource(`/board/events?${part}`);
    source = opened;
    nextAt = performance.now() + REOPEN_AFTER_MS;
    last.connect();
    for (const name of ['snapshot', 'beat', 'match', 'gone', 'table', 'feeds'] as const)
      opened.addEventListener(name, (event) => {
        if (opened !== source) return;
        delay = REOPEN_MS.first;
        nextAt = performance.now() + REOPEN_AFTER_MS;
        const data: unknown = JSON.parse(event.data);
        // Before it counts as fresh: the page has the snapshot by then.
        if (name !== 'beat') on[name](data);
        if (name !== 'snapshot' && name !== 'beat') return;
        const { now, steady } = data as Heartbeat;
        last.receive(steady, performance.now());
        asOf = now;
        isOpen = true;
        show();
      });
    opened.addEventListener('error', () => opened === source && giveUp());
  };
  const close = (): void => {
    source?.close();
    source = undefined;
    isOpen = false;
    hasFailed = true;
    show();
  };
  const giveUp = (): void => {
    nextAt = performance.now() + delay;
    delay = Math.min(delay * 2, REOPEN_MS.last);
    close();
  };
  const show = (): void => {
    const age = last.age(performance.now());
    const current = isOpen && age < FRESH_MS ? 'fresh' : isOpen || hasFailed ? 'lost' : 'awaited';
    if (current !== connection && current !== 'awaited') onConnection(current, asOf);
    connection = current;
    onTick(Number.isFinite(age) ? age / 1000 : null);
  };
  const tick = (): void => {
    if (document.hidden) {
      if (source !== undefined) close();
      nextAt = 0;
    } else if (performance.now() >= nextAt) {
      if (source === undefined) open();
      else giveUp();
    }
    show();
  };
  setInterval(tick, TICK_MS);
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, tick);
  addEventListener('pageshow', tick);
  const url = scriptUrl(new URL('./metronome.ts', import.meta.url).href);
  new Worker(url, { type: 'module' }).addEventListener('message', tick);
  tick();
}
