import { join } from 'node:path';
import { withStreamClient } from '#cluster/access.ts';
import { freePort } from '#embedded/ports.ts';
import { createTopics } from '#topics/admin.ts';
import { topicName } from '#topics/topics.ts';
import type { Bench, BenchContext } from './context.ts';
import { describeLoad, type HttpServer, type MeasuredLoad, measureLoad } from './http-load.ts';
import { countOffsets, remove } from './kafka.ts';
import type { PeerRouteOptions } from './peer-route.ts';
import { startScript } from './processes.ts';
import { sizeOf } from './size.ts';
import { Turns } from './turns.ts';
import { startReceiver, WebhookClient } from './webhook-client.ts';

const ROUNDS = sizeOf('BENCH_ROUNDS', 4, 1);
const SECONDS = sizeOf('BENCH_SECONDS', 3, 1);
/** Duration of the warm-up, until the JIT compilers of the broker and of every thread have finished. */
const WARM_UP_SECONDS = sizeOf('BENCH_WARM_UP_SECONDS', 20, 1);
const CONNECTIONS = 128;

/** The loads: a push message with its event is about 2.6 KB. */
const LOADS = [
  { name: 'one message a delivery', batch: 1, target: 0.75 },
  { name: 'ten messages a delivery', batch: 10, target: 0.5 },
] as const;

/**
 * Sends signed deliveries to the receiver and to a Fastify route with the same check of the signature, in turns, from
 * the same generator, each in one process. The durable route publishes the
 * raw body by the client's stream, which batches the deliveries of many connections, and answers once it is
 * acknowledged: the minimum for a truthful `Accepted`. Every accepted message must be on the topics at the end.
 *
 * Cpu time limits both, their own and the broker's, so the bench prints all cpu time of the machine per request.
 */
export const bench: Bench = {
  about: 'requests/s of the webhook receiver, beside a Fastify route with the same HMAC check',
  async run(context) {
    const prefix = context.prefix('receiver');
    const peerPrefix = context.prefix('receiver-peer');
    for (const each of [prefix, peerPrefix]) await createTopics({ brokers: context.brokers, prefix: each });
    const receiver = await startReceiver(context, prefix);
    receiver.client.close();
    const { secret } = receiver;
    const ours: HttpServer = { name: 'receiver', ...receiver };
    const store = { brokers: context.brokers, topic: topicName(peerPrefix, 'raw-messages') };
    const durable = await startPeerRoute(context, { secret, store });
    let run = 0;
    const accepted = { ours: 0, messages: 0, durable: 0 };
    for (const { name, batch, target } of LOADS) {
      context.print(`${name}:`);
      const turns = await Turns.take(context, {
        rounds: ROUNDS,
        subjects: [ours, durable],
        async measure(server, round) {
          run += 1;
          const measured = await measureLoad(server, {
            connections: CONNECTIONS,
            seconds: SECONDS,
            warmUpSeconds: round > 0 ? 1 : WARM_UP_SECONDS,
            requests: { secret, run, batch },
          });
          if (server === ours) {
            accepted.ours += measured.answers;
            accepted.messages += measured.answers * batch;
          } else accepted.durable += measured.answers;
          return measured;
        },
        describe: describeLoad,
      });
      turns.compare(ours, durable, { name, unit: 'requests/s', of: ({ perSecond }) => perSecond, target });
      const cost = (whose: string, of: (load: MeasuredLoad) => number) => {
        const figure = { name: `${name}, processor time of ${whose} a request`, unit: 'µs', of };
        turns.compare(ours, durable, { ...figure, better: 'less' });
      };
      cost('its process', ({ process }) => process);
      cost('the whole machine', ({ machine }) => machine);
    }
    for (const { process } of [ours, durable]) await process.stop();
    await checkTopics(context, { prefix, peerPrefix, accepted });
    for (const each of [prefix, peerPrefix]) await remove(context.brokers, each);
  },
};

async function startPeerRoute(
  { dir }: BenchContext,
  options: Omit<PeerRouteOptions, 'port'>,
): Promise<HttpServer> {
  const port = await freePort();
  const process = startScript(
    'peer-route.ts',
    { ...options, port } satisfies PeerRouteOptions,
    join(dir, 'durable-route.log'),
  );
  const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, options.secret);
  await client.untilReady();
  client.close();
  return { name: 'durable route', port, process };
}

type Accepted = { readonly ours: number; readonly messages: number; readonly durable: number };

async function checkTopics(
  context: BenchContext,
  { prefix, peerPrefix, accepted }: { prefix: string; peerPrefix: string; accepted: Accepted },
): Promise<void> {
  await withStreamClient(context.brokers, 'bench', async (client) => {
    const raw = await countOffsets(client, topicName(prefix, 'raw-messages'));
    const normalized = await countOffsets(client, topicName(prefix, 'normalized-messages'));
    const dead = await countOffsets(client, topicName(prefix, 'dead-letters'));
    const peer = await countOffsets(client, topicName(peerPrefix, 'raw-messages'));
    const found =
      `${accepted.ours} deliveries of ${accepted.messages} messages were accepted, ` +
      `and there are ${raw} raw and ${normalized} normalized messages and ${dead} dead letters; ` +
      `of ${accepted.durable} of the durable route there are ${peer}`;
    if (raw < accepted.ours || normalized < accepted.messages || dead > 0 || peer < accepted.durable)
      throw new Error(found);
    context.print(`checked: ${found}`);
  });
}
