/**
 * Sends requests over kept connections as fast as they are answered, one at a time on each, and measures what they cost. The requests
 * are sent by a separate, lean process, which this file is too: it prepares them, and reads only the length of an answer.
 */
import { connect } from 'node:net';
import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { signatureHeaders } from '#signing/signing.ts';
import { format, quantile } from './context.ts';
import { BenchMatch } from './matches.ts';
import { type Running, runScript } from './processes.ts';

/** A running server. */
export type HttpServer = { readonly name: string; readonly port: number; readonly process: Running };

export type HttpLoad = {
  readonly connections: number;
  /** Measured after `warmUpSeconds`. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly requests: { readonly path: string } | Deliveries;
};

/** Signed deliveries of messages of many live matches in turns, each message about 2.6 KB. */
type Deliveries = {
  readonly secret: string;
  /** Deliveries of runs with different numbers differ. */
  readonly run: number;
  /** Number of messages in a delivery. */
  readonly batch: number;
};

/** What the sending process prints. */
type LoadResult = {
  /** Number of all answers, including the warm-up. */
  readonly answers: number;
  readonly perSecond: number;
  /** Bytes of an answer. */
  readonly bytes: number;
  /** Quantiles of the time until the answer, milliseconds. */
  readonly p50: number;
  readonly p99: number;
};

/** The result of a load, with cpu times per request, microseconds. */
export type MeasuredLoad = LoadResult & {
  /** Cpu time of the server. */
  readonly process: number;
  /** Cpu time of the whole machine, including a broker and the load. */
  readonly machine: number;
};

const DELIVERIES = 2_000;
const MATCHES = 100;
const MESSAGES_OF_MATCH = 2_000;
/** A signature must last for the whole run. */
const VALID_SECONDS = 590;
/** Time for a broker's flush and for garbage collection before the next server's turn. */
const PAUSE_MS = 500;

/** Sends a load to a server. Rejects when a request was refused. */
export async function measureLoad(
  { port, process: server }: HttpServer,
  load: HttpLoad,
): Promise<MeasuredLoad> {
  const [processBefore, machineBefore] = [await server.cpuSeconds(), machineSeconds()];
  const result = await runScript<LoadResult>('http-load.ts', { ...load, port });
  const micros = (seconds: number) => (seconds * 1e6) / result.answers;
  const machine = micros(machineSeconds() - machineBefore);
  const used = micros((await server.cpuSeconds()) - processBefore);
  await delay(PAUSE_MS);
  return { ...result, process: used, machine };
}

/** Describes a measurement in a line. */
export function describeLoad({ perSecond, bytes, p50, p99, process: used, machine }: MeasuredLoad): string {
  return (
    `${format(perSecond)} requests/s with answers of ${format(bytes)} bytes, p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms; ` +
    `processor time a request: its process ${format(used)} µs, whole machine ${format(machine)} µs`
  );
}

/** Returns the cpu time of all processes since the machine started, seconds. */
function machineSeconds(): number {
  return cpus().reduce(
    (sum, { times }) => sum + (times.user + times.nice + times.sys + times.irq) / 1_000,
    0,
  );
}

if (import.meta.main) await sendLoad(JSON.parse(process.argv[2] ?? '{}'));

async function sendLoad(load: HttpLoad & { readonly port: number }): Promise<void> {
  const requests =
    'path' in load.requests
      ? [Buffer.from(`GET ${load.requests.path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)]
      : [...deliveries(load.requests)];
  let [sent, answers, bytes] = [0, 0, 0];
  let latencies: number[] = [];
  const open = (): void => {
    const socket = connect(load.port, '127.0.0.1').setNoDelay(true);
    let [sentAt, left] = [0, 0];
    const send = (): void => {
      sentAt = performance.now();
      socket.write(requests[sent++ % requests.length] as Buffer);
    };
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      if (left === 0) {
        left = lengthOf(chunk);
        bytes = left;
      }
      left -= chunk.length;
      if (left > 0) return;
      answers += 1;
      latencies.push(performance.now() - sentAt);
      send();
    });
    socket.on('error', (error) => fail(error.message));
  };
  for (let n = 0; n < load.connections; n++) open();
  await delay(load.warmUpSeconds * 1_000);
  latencies = [];
  const startedAt = performance.now();
  await delay(load.seconds * 1_000);
  const seconds = (performance.now() - startedAt) / 1_000;
  const result: LoadResult = {
    answers,
    perSecond: latencies.length / seconds,
    bytes,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
  };
  process.stdout.write(JSON.stringify(result), () => process.exit());
}

/** Returns the length of an answer with its head, which arrives in one piece. */
function lengthOf(chunk: Buffer): number {
  const end = chunk.indexOf('\r\n\r\n');
  const head = chunk.toString('latin1', 0, end);
  const length = Number(/content-length: (\d+)/i.exec(head)?.[1]);
  if (!head.startsWith('HTTP/1.1 200') || Number.isNaN(length)) fail(head.split('\r\n')[0] ?? '');
  return end + 4 + length;
}

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}

function* deliveries({ run, batch, secret }: Deliveries): Generator<Buffer> {
  const live = Array.from(
    { length: MATCHES },
    (_, match) => new BenchMatch(run * MATCHES + match, MESSAGES_OF_MATCH, match),
  );
  for (let n = 0; n < DELIVERIES; n++) {
    const messages = Array.from(
      { length: batch },
      (_, at) => live[(n * batch + at) % MATCHES]?.next().message,
    );
    const body = Buffer.from(JSON.stringify(messages));
    const headers = {
      Host: 'localhost',
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      ...signatureHeaders(body, secret, Date.now(), VALID_SECONDS),
    };
    const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    yield Buffer.concat([Buffer.from(`POST /webhook HTTP/1.1\r\n${head.join('')}\r\n`), body]);
  }
}
