/** Measures requests to the served contract beside a bare route. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '#embedded/ports.ts';
import { startApi, tokenOf } from './api-process.ts';
import { createTopicsWithClient, writeMatches } from './api-topics.ts';
import type { Bench, BenchContext } from './context.ts';
import { describeLoad, type HttpServer, measureLoad } from './http-load.ts';
import { remove } from './kafka.ts';
import { answered, startScript } from './processes.ts';
import { sizeOf } from './size.ts';
import { Turns } from './turns.ts';

const SECONDS = sizeOf('BENCH_SECONDS', 4, 1);
const WARM_UP_SECONDS = sizeOf(null, 2, 0.5);
const ROUNDS = sizeOf('BENCH_ROUNDS', 5, 1);
const CONNECTIONS = 16;
/** Matches of the board, and messages published of each. */
const BOARD = { matches: sizeOf(null, 150, 10), messages: 600, published: sizeOf(null, 200, 10) };

/** Measures the live board and one match, each beside a bare route that sends as many bytes. */
export const bench: Bench = {
  about: 'the served contract: requests/s beside a bare Fastify route',
  async run(context) {
    const prefix = context.prefix('requests');
    const credentials = await createTopicsWithClient(context, prefix);
    const state = await writeMatches(context, { prefix, ...BOARD });
    const api = { name: 'api', ...(await startApi(context, prefix, 'requests')) };
    const token = await tokenOf(api.port, credentials);
    const day = (state.start_date ?? '').slice(0, 10);
    for (const [name, path, target] of [
      [
        'livescore of 150 live events',
        `/v2/livescore?date_from=${day}&status_type=live&token=${token}`,
        0.95,
      ],
      ['one event', `/v2/events/${state.event_id}?token=${token}`, 0.8],
    ] as const) {
      context.print(`${name}:`);
      const bare = await startBare(context, await answered(api.port, path));
      const load = { connections: CONNECTIONS, seconds: SECONDS, warmUpSeconds: WARM_UP_SECONDS };
      const turns = await Turns.take<HttpServer, Awaited<ReturnType<typeof measureLoad>>>(context, {
        rounds: ROUNDS,
        subjects: [api, bare],
        measure: (server) =>
          measureLoad(server, { ...load, requests: { path: server === bare ? '/ready' : path } }),
        describe: describeLoad,
      });
      await bare.process.stop();
      turns.compare(api, bare, { name, unit: 'requests/s', of: ({ perSecond }) => perSecond, target });
      turns.compare(api, bare, { name: `${name}, p99`, unit: 'ms', better: 'less', of: ({ p99 }) => p99 });
      turns.compare(api, bare, {
        name: `${name}, processor time of its process a request`,
        unit: 'µs',
        better: 'less',
        of: ({ process }) => process,
      });
    }
    await api.process.stop();
    await remove(context.brokers, prefix);
  },
};

async function startBare({ dir }: BenchContext, body: Buffer): Promise<HttpServer> {
  const port = await freePort();
  const file = join(dir, `bare-${port}.json`);
  await writeFile(file, body);
  const process = startScript('bare-get.ts', { port, file }, join(dir, `bare-${port}.log`));
  await answered(port, '/ready');
  return { name: 'bare route', process, port };
}
