/** Measures requests to the served contract beside a bare route. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#embedded/ports.ts';
import { startApi } from './api-process.ts';
import { type BenchCredentials, makePlace, writeMatches } from './api-topics.ts';
import { type Bench, type BenchContext, format, median } from './context.ts';
import type { GetLoadOptions, GetLoadResult } from './get-load.ts';
import { remove } from './kafka.ts';
import { answered, type Running, start } from './processes.ts';
import { FIRST_ROUND, sizeOf } from './size.ts';

const SECONDS = sizeOf('BENCH_SECONDS', 4, 1);
const ROUNDS = sizeOf('BENCH_ROUNDS', 5, 1);
const CONNECTIONS = 16;
/** Matches of the board, and messages published of each. */
const BOARD = { matches: sizeOf(null, 150, 10), messages: 600, published: sizeOf(null, 200, 10) };

export const bench: Bench = {
  about: 'the served contract: requests/s beside a bare Fastify route',
  subject: ['libs/contract', 'libs/views', 'services/api'],
  run: measureRequests,
};

async function tokenOf(port: number, { id, secret }: BenchCredentials): Promise<string> {
  const body = await answered(port, `/v2/oauth?client_id=${id}&secret_key=${secret}`);
  return JSON.parse(body.toString()).api.data.token;
}

/** Measures the live board and one match, each beside a bare route that sends as many bytes. */
async function measureRequests(context: BenchContext): Promise<void> {
  const prefix = context.prefix('requests');
  const credentials = await makePlace(context, prefix);
  const state = await writeMatches(context, { prefix, ...BOARD });
  const api = await startApi(context, prefix, 'requests');
  const token = await tokenOf(api.port, credentials);
  const day = (state.start_date ?? '').slice(0, 10);
  for (const [name, path, target] of [
    ['livescore of 150 live events', `/v2/livescore?date_from=${day}&status_type=live&token=${token}`, 0.95],
    ['one event', `/v2/events/${state.event_id}?token=${token}`, 0.8],
  ] as const) {
    const body = await answered(api.port, path);
    const bare = await startBare(context, body);
    const rounds: [RequestRound, RequestRound][] = [];
    // In turns, so that a slower machine slows both down. The first round warms up and does not count.
    for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
      const pair: [RequestRound, RequestRound] = [await measured(api, path), await measured(bare, '/ready')];
      if (round > 0) rounds.push(pair);
    }
    await bare.process.stop();
    for (const [ours, theirs] of rounds) context.print(`${name}: ${line(ours)}; bare route ${line(theirs)}`);
    const figure = (title: string, unit: string, of: 'perSecond' | 'p99' | 'cpu', target?: number) => {
      const [ours, bare] = [0, 1].map((side) =>
        median(rounds.map((round) => (round[side] as RequestRound)[of])),
      );
      context.figure({
        name: title,
        unit,
        ours: ours as number,
        beside: { name: 'bare route', value: bare as number },
        ...(target === undefined ? { better: 'less' as const } : { target }),
      });
    };
    figure(name, 'requests/s', 'perSecond', target);
    figure(`${name}, p99`, 'ms', 'p99');
    figure(`${name}, processor time of its process a request`, 'µs', 'cpu');
  }
  await api.process.stop();
  await remove(context.brokers, prefix);
}

async function startBare(context: BenchContext, body: Buffer): Promise<{ process: Running; port: number }> {
  const port = await freePort();
  const file = join(context.dir, `bare-${port}.json`);
  await writeFile(file, body);
  const process = start({
    command: globalThis.process.execPath,
    args: [join(import.meta.dirname, 'bare-get.ts'), String(port), file],
    outputFile: join(context.dir, `bare-${port}.log`),
  });
  await answered(port, '/ready');
  return { process, port };
}

/** A round of requests to one server. `cpu` is the cpu time of its process, microseconds per request. */
type RequestRound = GetLoadResult & { readonly cpu: number };

async function measured(
  { process: server, port }: { process: Running; port: number },
  path: string,
): Promise<RequestRound> {
  const before = await server.cpuSeconds();
  const result = await load(port, path);
  return { ...result, cpu: (((await server.cpuSeconds()) - before) / result.answers) * 1e6 };
}

async function load(port: number, path: string): Promise<GetLoadResult> {
  const options: GetLoadOptions = {
    port,
    path,
    connections: CONNECTIONS,
    seconds: SECONDS,
    warmUpSeconds: sizeOf(null, 2, 0.5),
  };
  const script = join(import.meta.dirname, 'get-load.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(options)]);
  return JSON.parse(stdout);
}

function line({ perSecond, bytes, p50, p99, cpu }: RequestRound): string {
  return `${cpu.toFixed(0)} µs of processor a request, ${format(perSecond)} requests/s of ${format(bytes)} bytes, p50 ${p50.toFixed(1)} p99 ${p99.toFixed(1)} ms`;
}
