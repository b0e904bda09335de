/**
 * Receives the webhooks of a bench: an https server that answers `Accepted` at once. It counts requests and messages;
 * `GET /counts` on the plain port returns the counts and resets them.
 */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';

/** The counts. Times are Unix milliseconds. */
export type SinkCounts = {
  readonly requests: number;
  readonly lastAt: number;
  /** Each message: its `uuid`, time of arrival, path, and the provider's time of a composed one. */
  readonly arrivals: readonly Arrival[];
};

type Arrival = readonly [uuid: string, at: number, path: string, ut: number | null];

/** Options, as JSON in the first argument. */
export type SinkOptions = {
  readonly port: number;
  readonly countsPort: number;
  /** Paths of the certificate and its key. */
  readonly cert: string;
  readonly key: string;
};

const { port, countsPort, cert, key }: SinkOptions = JSON.parse(process.argv[2] ?? '{}');

const UUID = /"uuid":"([^"]+)"(?:,"type":"\w+","source":\w+,"ut":(\d+))?/g;
let counts = empty();

const server = createServer(
  // Long, because a connection that is closed as idle while a request arrives would be a failure of the sender.
  { key: readFileSync(key), cert: readFileSync(cert), keepAliveTimeout: 120_000 },
  async (request, response) => {
    const text = (await buffer(request)).toString('latin1');
    const now = Date.now();
    counts.requests += 1;
    counts.lastAt = now;
    for (const [, uuid = '', ut] of text.matchAll(UUID))
      counts.arrivals.push([uuid, now, request.url ?? '', ut === undefined ? null : Number(ut)]);
    response.end('Accepted');
  },
);
server.listen(port, '127.0.0.1');
createHttpServer((_request, response) => {
  response.end(JSON.stringify(counts));
  counts = empty();
}).listen(countsPort, '127.0.0.1');

function empty() {
  return { requests: 0, lastAt: 0, arrivals: [] as Arrival[] };
}

process.on('SIGTERM', () => process.exit());
// The bench holds the other end of standard input.
process.stdin.on('end', () => process.exit()).resume();
