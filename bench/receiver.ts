import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '#embedded/ports.ts';
import { createTopics } from '#topics/admin.ts';
import { topicName } from '#topics/topics.ts';
import { type Bench, type BenchContext, format, median } from './context.ts';
import { countOffsets, remove, withAdmin } from './kafka.ts';
import { type Running, start, startService } from './processes.ts';
import { WebhookClient } from './webhook-client.ts';
import type { LoadOptions, LoadResult } from './webhook-load.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 6);
const CONNECTIONS = 128;
const READY_MS = 60_000;

/** What is sent: a push message with its event is about 2.6 KB. */
const LOADS = [
  { name: 'one message a delivery', batch: 1, target: 0.6 },
  { name: 'ten messages a delivery', batch: 10 },
] as const;

/**
 * Signed deliveries to the receiver and to a bare Fastify route with the same check of the signature, in turns, from the
 * same generator. Everything the receiver has accepted must be on the topics in the end.
 */
export const bench: Bench = {
  about: 'requests/s of the webhook receiver, beside a bare Fastify route with the same HMAC check',
  async run(context) {
    const prefix = context.prefix('receiver');
    await createTopics({ brokers: context.brokers, prefix });
    const secret = randomBytes(16).toString('hex');
    const ours = await openReceiver(context, prefix, secret);
    const bare = await openBareRoute(context, secret);
    let run = 0;
    const accepted = { deliveries: 0, messages: 0 };
    for (const load of LOADS) {
      const rates = new Map<Server, number[]>([
        [ours, []],
        [bare, []],
      ]);
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [server, counted] of rates) {
          run += 1;
          const { result, line } = await measure(server, { secret, run, batch: load.batch, warm: round > 0 });
          if (round > 0) counted.push(result.perSecond);
          context.print(
            `${round === 0 ? 'warm-up' : `round ${round}`} ${server.name}, ${load.name}: ${line}`,
          );
          if (server !== ours) continue;
          accepted.deliveries += result.accepted;
          accepted.messages += result.accepted * load.batch;
        }
      }
      context.figure({
        name: load.name,
        ours: median(rates.get(ours) ?? []),
        beside: { name: bare.name, value: median(rates.get(bare) ?? []) },
        unit: 'requests/s',
        ...('target' in load ? { target: load.target } : {}),
      });
    }
    await ours.process.stop();
    await bare.process.stop();
    await checkTopics(context, prefix, accepted);
    await remove(context.brokers, prefix);
  },
};

type Server = { readonly name: string; readonly port: number; readonly process: Running };

async function openReceiver(context: BenchContext, prefix: string, secret: string): Promise<Server> {
  const port = await freePort();
  const process = startService('webhook-receiver', context.dir, {
    KAFKA_BROKERS: context.brokers.join(','),
    SCHEMA_REGISTRY_URL: context.registryUrl,
    TOPIC_PREFIX: prefix,
    WEBHOOK_PORT: String(port),
    WEBHOOK_SECRET: secret,
  });
  await untilReady(port, secret);
  return { name: 'receiver', port, process };
}

async function openBareRoute(context: BenchContext, secret: string): Promise<Server> {
  const port = await freePort();
  const process = start({
    command: globalThis.process.execPath,
    args: [join(import.meta.dirname, 'bare-route.ts'), String(port), secret],
    outputFile: join(context.dir, 'bare-route.log'),
  });
  await untilReady(port, secret);
  return { name: 'bare route', port, process };
}

async function untilReady(port: number, secret: string): Promise<void> {
  const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, secret);
  await client.untilReady(READY_MS);
  client.close();
}

async function measure(
  server: Server,
  { secret, run, batch, warm }: { secret: string; run: number; batch: number; warm: boolean },
): Promise<{ result: LoadResult; line: string }> {
  const options: LoadOptions = {
    port: server.port,
    secret,
    connections: CONNECTIONS,
    batch,
    seconds: SECONDS,
    warmUpSeconds: warm ? 1 : 3,
    run,
  };
  const before = await server.process.cpuSeconds();
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'webhook-load.ts'),
    JSON.stringify(options),
  ]);
  const result: LoadResult = JSON.parse(stdout);
  if (result.refused > 0) throw new Error(`${server.name} refused ${result.refused} deliveries`);
  const cpu = ((await server.process.cpuSeconds()) - before) / result.accepted;
  const line =
    `${format(result.perSecond)} requests/s of ${format(result.bytes)} bytes, ` +
    `p50 ${result.p50.toFixed(1)} p99 ${result.p99.toFixed(1)} ms; ` +
    `processor time a request: ${format(cpu * 1e6)} µs, generator ${format(result.cpu)} µs`;
  // The broker flushes and the collectors of garbage run before the other one's turn.
  await delay(500);
  return { result, line };
}

async function checkTopics(
  context: BenchContext,
  prefix: string,
  accepted: { deliveries: number; messages: number },
): Promise<void> {
  await withAdmin(context.brokers, async (admin) => {
    const raw = await countOffsets(admin, topicName(prefix, 'raw-messages'));
    const normalized = await countOffsets(admin, topicName(prefix, 'normalized-messages'));
    const dead = await countOffsets(admin, topicName(prefix, 'dead-letters'));
    if (raw < accepted.deliveries || normalized < accepted.messages || dead > 0) {
      throw new Error(
        `${accepted.deliveries} deliveries of ${accepted.messages} messages were accepted, ` +
          `but there are ${raw} raw and ${normalized} normalized messages and ${dead} dead letters`,
      );
    }
    context.print(
      `checked: ${raw} deliveries and ${normalized} messages accepted, all of them on the topics`,
    );
  });
}
