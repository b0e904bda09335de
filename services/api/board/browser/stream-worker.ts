/**
 * The shared worker of the board: one connection for all tabs of a browser. Browsers open six connections to a server that speaks
 * HTTP/1.1; with one for each tab the seventh tab would wait for ever.
 */
import { BoardConnection } from './connection.ts';
import { SharedStreams, type TabMessage } from './shared-streams.ts';

/** Interval of the worker's timer, milliseconds. */
const TICK_MS = 200;

let connection: BoardConnection | undefined;
const streams = new SharedStreams(
  (events) => {
    connection = new BoardConnection(events);
    return connection;
  },
  () => performance.now(),
);

addEventListener('connect', (event) => {
  for (const port of (event as MessageEvent).ports) {
    port.addEventListener('message', ({ data }) => streams.take(port, data as TabMessage));
    port.start();
  }
});
setInterval(() => {
  connection?.tick();
  streams.tick();
}, TICK_MS);
