/**
 * Posts signed deliveries over kept connections as fast as they are answered, one at a time on each, and prints the
 * result as JSON. A separate, lean process: it prepares the requests, and checks only the end of an answer.
 */
import { connect } from 'node:net';
import { SIGNATURE_HEADER, sign, TIMESTAMP_HEADER } from '#signing/signing.ts';
import { bodies } from './webhook-bodies.ts';

/** Options, as JSON in the first argument. */
export type LoadOptions = {
  readonly port: number;
  readonly secret: string;
  readonly connections: number;
  /** Number of messages in a delivery. */
  readonly batch: number;
  /** Measured after `warmUpSeconds`. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Deliveries of runs with different numbers differ. */
  readonly run: number;
};

/** The printed result. */
export type LoadResult = {
  readonly perSecond: number;
  /** Number of all accepted deliveries, including the warm-up. */
  readonly accepted: number;
  readonly refused: number;
  readonly bytes: number;
  /** Quantiles of the time until the answer, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Cpu time of the generator per request, microseconds. */
  readonly cpu: number;
};

const DELIVERIES = 2_000;

const options: LoadOptions = JSON.parse(process.argv[2] ?? '{}');
const requests = [...deliveries(options)];
const state = { accepted: 0, refused: 0, next: 0, stopping: false };
let latencies: number[] = [];

for (let n = 0; n < options.connections; n++) open();
await sleep(options.warmUpSeconds);
const before = { accepted: state.accepted, cpu: process.cpuUsage(), at: performance.now() };
latencies = [];
await sleep(options.seconds);
const seconds = (performance.now() - before.at) / 1_000;
const counted = state.accepted - before.accepted;
const { user, system } = process.cpuUsage(before.cpu);
const sorted = Float64Array.from(latencies).sort();
state.stopping = true;
// Waits for pending answers, so that every sent delivery is counted.
while (state.next > state.accepted + state.refused) await sleep(0.01);
const result: LoadResult = {
  perSecond: counted / seconds,
  accepted: state.accepted,
  refused: state.refused,
  bytes: requests.reduce((sum, request) => sum + request.length, 0) / requests.length,
  p50: sorted[sorted.length >> 1] ?? Number.NaN,
  p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
  cpu: (user + system) / counted,
};
process.stdout.write(JSON.stringify(result), () => process.exit());

function open(): void {
  const socket = connect(options.port, '127.0.0.1');
  socket.setNoDelay(true);
  let sentAt = 0;
  const send = (): void => {
    if (state.stopping) return;
    sentAt = performance.now();
    socket.write(requests[state.next++ % requests.length] as Buffer);
  };
  socket.on('connect', send);
  // An answer is small enough to arrive in one piece.
  socket.on('data', (answer) => {
    if (answer.toString('latin1', answer.length - 8) === 'Accepted') state.accepted++;
    else state.refused++;
    latencies.push(performance.now() - sentAt);
    send();
  });
  socket.on('error', (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  });
}

function* deliveries({ run, batch, secret }: LoadOptions): Generator<Buffer> {
  const expires = String(Math.floor(Date.now() / 1_000) + 590);
  for (const body of bodies({ run, batch, deliveries: DELIVERIES })) {
    const head = [
      'POST /webhook HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `${TIMESTAMP_HEADER}: ${expires}`,
      `${SIGNATURE_HEADER}: ${sign(body, expires, secret)}`,
    ];
    yield Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
  }
}

function sleep(forSeconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, forSeconds * 1_000));
}
