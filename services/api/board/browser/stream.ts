/** Follows a part of the board: passes on events, and watches the age of the last heartbeat. */

import { BoardConnection } from './connection.ts';
import { scriptUrl } from './dom.ts';
import { type ConnectionState, type Heartbeat, HeartbeatAge } from './heartbeat.ts';
import { ALIVE_MS, type StreamMessage, type TabMessage } from './shared-streams.ts';

/** Age from which a heartbeat no longer counts, milliseconds. They arrive every second; the content is withdrawn within two. */
const FRESH_MS = 1_750;
/** Silence of the shared worker after which the page joins it anew, milliseconds: longer than any delay of the worker itself. */
const REJOIN_AFTER_MS = 30_000;
/** Interval of the page's own timer, milliseconds. The metronome ticks more often, and also in a hidden page. */
const TICK_MS = 200;

/** Callbacks of a followed stream. */
export type StreamEvents = {
  /** Called with the data of an event, by the event's name. */
  readonly on: Readonly<Record<string, (data: unknown) => void>>;
  /** Called when the state of the connection changes. `asOf`: when the server sent what the page shows, Unix seconds. */
  readonly onConnection: (connection: ConnectionState, asOf: number) => void;
  /** Called ten times a second with the age of the last heartbeat, seconds; null before the first. */
  readonly onTick: (age: number | null) => void;
};

/**
 * Follows a part of the board as long as the page lives. `part`: its query for `/board/events`; empty: the whole board.
 */
export function followStream(part: string, { on, onConnection, onTick }: StreamEvents): void {
  const last = new HeartbeatAge();
  let connection: ConnectionState = 'awaited';
  let isOpen = false;
  let hasFailed = false;
  /** The server's time of the last heartbeat. */
  let asOf = Date.now() / 1000;

  const receive = ({ now, steady }: Heartbeat, age: number): void => {
    const at = performance.now() - age;
    last.receive(steady, at);
    asOf = now;
    isOpen = true;
    check();
  };
  const take = (message: StreamMessage): void => {
    switch (message.kind) {
      case 'open':
        last.connect();
        return;
      case 'lost':
        isOpen = false;
        hasFailed = true;
        check();
        return;
      case 'event': {
        const { name, age } = message;
        const data: unknown = JSON.parse(message.data);
        on[name]?.(data);
        // After the page's own callback: it has the snapshot before the connection counts as fresh.
        if (name === 'snapshot' || name === 'beat') receive(data as Heartbeat, age);
      }
    }
  };
  const check = (): void => {
    const at = performance.now();
    const age = last.age(at);
    const isFresh = isOpen && age < FRESH_MS;
    const current = isFresh ? 'fresh' : isOpen || hasFailed ? 'lost' : 'awaited';
    if (current !== connection) {
      connection = current;
      onConnection(connection, asOf);
    }
    onTick(Number.isFinite(age) ? age / 1000 : null);
  };
  const tickSource = openSource(part, take);
  everyTick(() => {
    check();
    tickSource();
  });
}

/** Joins the connection that all tabs share; opens one for this page where the browser has no shared workers. Returns its tick. */
function openSource(part: string, take: (message: StreamMessage) => void): () => void {
  if (!('SharedWorker' in globalThis)) return ownConnection(part, take);
  let tick = joinShared(part, take, () => {
    tick = ownConnection(part, take);
  });
  return () => tick();
}

/** Opens a connection for this page alone. Returns its tick. */
function ownConnection(part: string, take: (message: StreamMessage) => void): () => void {
  const own = new BoardConnection({
    onOpen: () => take({ kind: 'open' }),
    onEvent: (_part, name, data) =>
      take(name === 'refused' ? { kind: 'lost' } : { kind: 'event', name, data, age: 0 }),
    onLost: () => take({ kind: 'lost' }),
  });
  own.follow([part]);
  return () => own.tick();
}

/** Joins the shared worker. `onFailure`: called when it cannot run. Returns its tick. */
function joinShared(part: string, take: (message: StreamMessage) => void, onFailure: () => void): () => void {
  const url = scriptUrl(new URL('./stream-worker.ts', import.meta.url).href);
  let port: MessagePort | undefined;
  let [heardAt, saidAt] = [0, 0];
  const say = (message: TabMessage): void => {
    saidAt = performance.now();
    port?.postMessage(message);
  };
  const join = (): void => {
    port?.close();
    heardAt = performance.now();
    const worker = new SharedWorker(url, { type: 'module', name: signedInClient() });
    worker.addEventListener('error', () => {
      port?.close();
      onFailure();
    });
    port = worker.port;
    port.addEventListener('message', ({ data }) => {
      heardAt = performance.now();
      take(data as StreamMessage);
    });
    port.start();
    say({ join: part });
  };
  join();
  addEventListener('pagehide', () => say('leave'));
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) join();
  });
  return () => {
    const at = performance.now();
    if (at - heardAt > REJOIN_AFTER_MS) join();
    else if (at - saidAt > ALIVE_MS) say('alive');
  };
}

/** Returns the client who signed in: a tab must not share the stream of another client, who signed in before. Empty: nobody did. */
function signedInClient(): string {
  return /(?:^|;\s*)touchline_client=(\w*)/.exec(document.cookie)?.[1] ?? '';
}

/** Calls `onTick` ten times a second as long as the page lives, and before a page that slept or was hidden is seen again. */
function everyTick(onTick: () => void): void {
  setInterval(onTick, TICK_MS);
  for (const event of ['visibilitychange', 'resume']) document.addEventListener(event, onTick);
  addEventListener('pageshow', onTick);
  const url = scriptUrl(new URL('./metronome.ts', import.meta.url).href);
  new Worker(url, { type: 'module' }).addEventListener('message', onTick);
}
