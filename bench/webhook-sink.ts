/**
 * Receives the webhooks of a bench: an https server that answers `Accepted` at once, or, under `/hang`, never. It
 * counts requests and messages; `GET /counts` on the plain port returns the counts and resets them.
 */
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:https';
import { buffer } from 'node:stream/consumers';

/** The counts. Times are Unix milliseconds. */
export type SinkCounts = {
  readonly requests: number;
  readonly lastAt: number;
  /** Each message: its `uuid`, time of arrival, path, the first message of its request, and the provider's time of a composed one. */
  readonly arrivals: readonly Arrival[];
};

type Arrival = readonly [uuid: string, at: number, path: string, first: string, ut: number | null];

const [port, countsPort, keyFile, certFile] = process.argv.slice(2);
if (certFile === undefined || keyFile === undefined)
  throw new Error('usage: webhook-sink.ts PORT COUNTS_PORT KEY CERT');

const UUID = /"uuid":"([^"]+)"(?:,"type":"\w+","source":\w+,"ut":(\d+))?/g;
let counts = empty();

const server = createServer(
  // Long, because a connection that is closed as idle while a request arrives would be a failure of the sender.
  { key: readFileSync(keyFile), cert: readFileSync(certFile), keepAliveTimeout: 120_000 },
  async (request, response) => {
    const text = (await buffer(request)).toString('latin1');
    if (request.url === '/hang') return;
    const now = Date.now();
    counts.requests += 1;
    counts.lastAt = now;
    let first: string | null = null;
    for (const [, uuid = '', ut] of text.matchAll(UUID)) {
      first ??= uuid;
      counts.arrivals.push([uuid, now, request.url ?? '', first, ut === undefined ? null : Number(ut)]);
    }
    response.end('Accepted');
  },
);
server.listen(Number(port), '127.0.0.1');
createHttpServer((_request, response) => {
  response.end(JSON.stringify(counts));
  counts = empty();
}).listen(Number(countsPort), '127.0.0.1');

function empty() {
  return { requests: 0, lastAt: 0, arrivals: [] as Arrival[] };
}

process.on('SIGTERM', () => process.exit());
// The bench holds the other end of standard input.
process.stdin.on('end', () => process.exit()).resume();
