/**
 * Posts signed deliveries over kept connections as fast as they are answered, one at a time on each, and prints the
 * result as JSON. A process of its own, and lean: requests are made beforehand, and of an answer only the end is looked at.
 */
import { connect } from 'node:net';
import { SIGNATURE_HEADER, sign, TIMESTAMP_HEADER } from '#signing/signing.ts';
import { bodies } from './webhook-bodies.ts';

/** What is asked of it, as JSON in the first argument. */
export type LoadOptions = {
  readonly port: number;
  readonly secret: string;
  readonly connections: number;
  /** Messages in a delivery. */
  readonly batch: number;
  /** Measured after `warmUpSeconds`. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  /** Deliveries of runs with different numbers differ. */
  readonly run: number;
};

/** What came of it. */
export type LoadResult = {
  readonly perSecond: number;
  /** All that were accepted, those of the warm-up too. */
  readonly accepted: number;
  readonly refused: number;
  readonly bytes: number;
  /** Milliseconds until the answer. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the generator for a request, microseconds. */
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
// What is under way is answered still, so that everything sent is counted.
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
  // An answer is smaller than what the system gives at once.
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
