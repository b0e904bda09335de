import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#embedded/ports.ts';
import { createTopics } from '#topics/admin.ts';
import { topicName } from '#topics/topics.ts';
import { type Bench, type BenchContext, connectionEnv, median } from './context.ts';
import { countOffsets, remove, withAdmin } from './kafka.ts';
import type { BareCost, BareCostOptions } from './parse-encode.ts';
import type { PeerRouteOptions } from './peer-route.ts';
import { start, startService } from './processes.ts';
import { FIRST_ROUND, roundName, sizeOf } from './size.ts';
import { WebhookClient } from './webhook-client.ts';
import { lineOf, type MeasuredLoad, measure, type WebhookServer } from './webhook-measure.ts';

const ROUNDS = sizeOf('BENCH_ROUNDS', 4, 1);
const SECONDS = sizeOf('BENCH_SECONDS', 3, 1);
/** Duration of the warm-up, until the JIT compilers of the broker and of every thread have finished. */
const WARM_UP_SECONDS = sizeOf('BENCH_WARM_UP_SECONDS', 20, 1);
/** Number of messages in a delivery; by default all of `LOADS`. */
const DELIVERY = process.env.BENCH_DELIVERY;
const CONNECTIONS = 128;
const READY_MS = 60_000;
/** Threads of every server: the receiver's own default. */
const THREADS = Math.min(availableParallelism(), 4);

/** The loads: a push message with its event is about 2.6 KB. */
const LOADS = [
  { name: 'one message a delivery', batch: 1, target: 0.75 },
  { name: 'ten messages a delivery', batch: 10, target: 0.5 },
] as const;

/**
 * Sends signed deliveries to the receiver and to Fastify routes with the same check of the signature, in turns, from
 * the same generator, on the same cores with the same number of threads on one port. The durable route publishes the
 * raw body and answers once it is acknowledged: the minimum for a truthful `Accepted`. With the client's stream, which
 * batches the deliveries of many connections, it is the peer of the targets; with one send for each delivery it is the
 * naive form of such a route. The bare route stores nothing. Every accepted message must be on the topics at the end.
 *
 * Cpu time limits all of them, their own and the broker's, so the bench prints all cpu time of the machine per request.
 */
export const bench: Bench = {
  about: 'requests/s of the webhook receiver, beside Fastify routes with the same HMAC check',
  subject: ['libs/ingestion', 'libs/signing', 'libs/streams', 'services/webhook-receiver'],
  async run(context) {
    const prefix = context.prefix('receiver');
    const peerPrefix = context.prefix('receiver-peer');
    for (const each of [prefix, peerPrefix]) await createTopics({ brokers: context.brokers, prefix: each });
    const secret = randomBytes(16).toString('hex');
    const store = { brokers: context.brokers, topic: topicName(peerPrefix, 'raw-messages') };
    const ours = await openReceiver(context, prefix, secret);
    const durable = await openPeer(context, 'durable route', secret, { ...store, batched: true });
    const single = await openPeer(context, 'durable route, a send a delivery', secret, {
      ...store,
      batched: false,
    });
    const bare = await openPeer(context, 'bare route', secret, null);
    const servers = [ours, durable, single, bare];
    let run = 0;
    const accepted = { ours: 0, messages: 0, durable: 0 };
    for (const { name, batch, ...wanted } of loads()) {
      const counted = new Map<WebhookServer, MeasuredLoad[]>(servers.map((server) => [server, []]));
      for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
        for (const [server, list] of counted) {
          run += 1;
          const warmUpSeconds = round > 0 ? 1 : WARM_UP_SECONDS;
          const load = { secret, run, batch, connections: CONNECTIONS, seconds: SECONDS, warmUpSeconds };
          const measured = await measure(server, load);
          if (round > 0) list.push(measured);
          const when = roundName(round);
          context.print(`${when} ${server.name}, ${name}: ${lineOf(measured)}`);
          if (server === ours) {
            accepted.ours += measured.accepted;
            accepted.messages += measured.accepted * batch;
          } else if (server !== bare) accepted.durable += measured.accepted;
        }
      }
      const medianOf = (server: WebhookServer, of: (one: MeasuredLoad) => number) =>
        median((counted.get(server) ?? []).map(of));
      for (const peer of [durable, single, bare]) {
        context.figure({
          name,
          ours: medianOf(ours, (one) => one.perSecond),
          beside: { name: peer.name, value: medianOf(peer, (one) => one.perSecond) },
          unit: 'requests/s',
          ...(peer === durable ? wanted : {}),
        });
        for (const [what, of] of [
          ['its process', ({ process }: MeasuredLoad) => process],
          ['the whole machine', ({ machine }: MeasuredLoad) => machine],
        ] as const) {
          context.figure({
            name: `${name}, processor time of ${what} a request`,
            ours: medianOf(ours, of),
            beside: { name: peer.name, value: medianOf(peer, of) },
            unit: 'µs',
            better: 'less',
          });
        }
      }
      const cost = await bareCost(context, { batch });
      context.print(
        `${name}, on a thread that does nothing else: JSON.parse ${cost.parse.toFixed(1)} µs, ` +
          `Avro of its records ${cost.encode.toFixed(1)} µs, all of reading and encoding ${cost.all.toFixed(1)} µs`,
      );
      context.figure({
        name: `${name}, processor time of its process a request`,
        ours: medianOf(ours, ({ process }) => process),
        beside: { name: 'bare parsing and encoding', value: cost.parse + cost.encode },
        unit: 'µs',
        better: 'less',
      });
    }
    for (const { process } of servers) await process.stop();
    await checkTopics(context, { prefix, peerPrefix, accepted });
    for (const each of [prefix, peerPrefix]) await remove(context.brokers, each);
  },
};

function loads(): readonly (typeof LOADS)[number][] {
  if (DELIVERY === undefined) return LOADS;
  const asked = LOADS.filter(({ batch }) => String(batch) === DELIVERY);
  if (asked.length > 0) return asked;
  throw new Error(`BENCH_DELIVERY must be one of ${LOADS.map(({ batch }) => batch).join(', ')}`);
}

async function openReceiver(context: BenchContext, prefix: string, secret: string): Promise<WebhookServer> {
  const port = await freePort();
  const process = startService('webhook-receiver', context.dir, {
    ...connectionEnv(context, prefix),
    WEBHOOK_PORT: String(port),
    WEBHOOK_SECRET: secret,
    WEBHOOK_THREADS: String(THREADS),
  });
  await untilReady(port, secret);
  return { name: 'receiver', port, process };
}

async function openPeer(
  context: BenchContext,
  name: string,
  secret: string,
  store: PeerRouteOptions['store'],
): Promise<WebhookServer> {
  const port = await freePort();
  const options: PeerRouteOptions = { port, secret, threads: THREADS, store };
  const process = start({
    command: globalThis.process.execPath,
    args: [join(import.meta.dirname, 'peer-route.ts'), JSON.stringify(options)],
    outputFile: join(context.dir, `${name.replaceAll(' ', '-')}.log`),
  });
  await untilReady(port, secret);
  return { name, port, process };
}

async function untilReady(port: number, secret: string): Promise<void> {
  const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, secret);
  await client.untilReady(READY_MS);
  client.close();
}

async function bareCost(context: BenchContext, load: Pick<BareCostOptions, 'batch'>): Promise<BareCost> {
  const options: BareCostOptions = { ...load, registryUrl: context.registryUrl };
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'parse-encode.ts'),
    JSON.stringify(options),
  ]);
  return JSON.parse(stdout);
}

type Accepted = { readonly ours: number; readonly messages: number; readonly durable: number };

async function checkTopics(
  context: BenchContext,
  { prefix, peerPrefix, accepted }: { prefix: string; peerPrefix: string; accepted: Accepted },
): Promise<void> {
  await withAdmin(context.brokers, async (admin) => {
    const raw = await countOffsets(admin, topicName(prefix, 'raw-messages'));
    const normalized = await countOffsets(admin, topicName(prefix, 'normalized-messages'));
    const dead = await countOffsets(admin, topicName(prefix, 'dead-letters'));
    const peer = await countOffsets(admin, topicName(peerPrefix, 'raw-messages'));
    if (raw < accepted.ours || normalized < accepted.messages || dead > 0 || peer < accepted.durable) {
      throw new Error(
        `${accepted.ours} deliveries of ${accepted.messages} messages were accepted, ` +
          `but there are ${raw} raw and ${normalized} normalized messages and ${dead} dead letters; ` +
          `of ${accepted.durable} of the durable route there are ${peer}`,
      );
    }
    context.print(
      `checked: ${raw} deliveries and ${normalized} messages of the receiver and ${peer} deliveries of the durable ` +
        'route accepted, all of them on the topics',
    );
  });
}
