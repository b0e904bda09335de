/**
 * Requests one URL over kept connections as fast as it is answered, one request at a time on each, and prints the
 * result as JSON. A separate, lean process: it reads only the length of an answer.
 */
import { connect } from 'node:net';

/** Options, as JSON in the first argument. */
export type GetLoadOptions = {
  readonly port: number;
  readonly path: string;
  readonly connections: number;
  /** Measured after `warmUpSeconds`. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
};

/** The printed result. Times in milliseconds. */
export type GetLoadResult = {
  /** Number of all answers, including the warm-up. */
  readonly answers: number;
  readonly perSecond: number;
  readonly bytes: number;
  readonly p50: number;
  readonly p99: number;
};

const options: GetLoadOptions = JSON.parse(process.argv[2] ?? '{}');
const request = `GET ${options.path} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
let latencies: number[] = [];
let bytes = 0;
let answers = 0;
for (let n = 0; n < options.connections; n++) open();
await sleep(options.warmUpSeconds);
latencies = [];
const startedAt = performance.now();
await sleep(options.seconds);
const sorted = Float64Array.from(latencies).sort();
const result: GetLoadResult = {
  answers,
  perSecond: sorted.length / ((performance.now() - startedAt) / 1_000),
  bytes,
  p50: sorted[sorted.length >> 1] ?? Number.NaN,
  p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
};
process.stdout.write(JSON.stringify(result), () => process.exit());

function open(): void {
  const socket = connect(options.port, '127.0.0.1').setNoDelay(true);
  let sentAt = 0;
  let left = 0;
  const send = (): void => {
    sentAt = performance.now();
    left = 0;
    socket.write(request);
  };
  socket.on('connect', send);
  socket.on('data', (chunk) => {
    if (left === 0) left = lengthOf(chunk);
    left -= chunk.length;
    if (left > 0) return;
    answers += 1;
    latencies.push(performance.now() - sentAt);
    send();
  });
  socket.on('error', (error) => fail(error.message));
}

/** Returns the length of an answer with its head, which arrives in one piece. */
function lengthOf(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  if (!head.startsWith('HTTP/1.1 200') || Number.isNaN(length)) fail(head.split('\r\n')[0] ?? '');
  bytes = length;
  return end + 4 + length;
}

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}
