import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { followRecords } from '#topics/follow-records.ts';
import { Registry } from '#topics/registry.ts';
import type { BareCounts, BareWebhooksOptions } from './bare-webhooks.ts';
import { type Bench, type BenchContext, describeMs, format, quantile } from './context.ts';
import { remove } from './kafka.ts';
import { byPublisher } from './latency.ts';
import { liveMessages, pace } from './live-load.ts';
import { runScript } from './processes.ts';
import { sizeOf } from './size.ts';
import type { SinkCounts } from './webhook-sink.ts';
import { messageText, SECRET, Sink, WebhookSystem } from './webhook-system.ts';

const LATENCY = {
  perSecond: 200,
  subscriptions: 10,
  /** Long enough for the broker's JIT compiler, which takes one of two cores for half a minute. */
  warmUp: sizeOf(null, 8_000, 50),
  messages: sizeOf('BENCH_MESSAGES', 6_000, 100),
};
const THROUGHPUT = { subscriptions: 8, messages: sizeOf(null, 120_000, 1_000), batch: 100 };
const ISOLATION = {
  subscriptions: sizeOf(null, 200, 20),
  dead: sizeOf(null, 20, 2),
  perSecond: 3,
  messages: sizeOf(null, 45, 3),
};
const MEMORY = {
  subscriptions: sizeOf(null, 1_000, 20),
  messages: sizeOf(null, 72_000, 500),
  seconds: sizeOf(null, 30, 1),
  limitMiB: 400,
};

/** Measures the cost of deliveries, compared with a bare client and with a run without hanging receivers. */
export const bench: Bench = {
  about:
    'webhooks out: latency, throughput beside a bare undici client, isolation, memory with 1,000 subscriptions',
  async run(context) {
    const sink = await Sink.start(context);
    try {
      await latency(context, sink);
      await throughput(context, sink);
      await isolation(context, sink);
      await memory(context, sink);
    } finally {
      await sink.stop();
    }
  },
};

/** Measures the time from when a reader has a transition until its message arrives at ten receivers. */
async function latency(context: BenchContext, sink: Sink): Promise<void> {
  const { brokers, registryUrl } = context;
  const { subscriptions, perSecond, warmUp, messages } = LATENCY;
  const prefix = context.prefix('latency');
  const system = await WebhookSystem.create(context, prefix, sink);
  await system.subscribe(subscriptions, (n) => `/${n}`);
  const services = ['match-processor', 'webhook-dispatcher'].map((name) => system.start(name));
  const entry = await byPublisher(context, prefix);
  const readAt = new Map<string, number>();
  const reader = await followRecords({
    brokers,
    prefix,
    registry: Registry.open({ url: registryUrl, prefix }),
    topic: 'match-transitions',
    onFailure: (error) => console.error('reading transitions failed:', error),
    onRecord(_, transition) {
      if (transition?.n === 0) readAt.set(transition.id, Date.now());
    },
  });
  const live = liveMessages();
  // Only recently received messages are composed.
  const send = () => void entry.send({ ...live.next().value, ut: Math.floor(Date.now() / 1_000) });
  const deliver = async (count: number) => {
    await pace(count, perSecond, send);
    return sink.until(count * subscriptions * 0.99);
  };
  await deliver(warmUp);
  const { arrivals, requests } = await deliver(messages);
  const times = arrivals.flatMap(([uuid, at]) => {
    const from = readAt.get(uuid);
    return from === undefined ? [] : [Math.max(0, at - from)];
  });
  context.print(`transition to delivery: ${describeMs(times)} in ${requests} requests`);
  for (const [name, share, limit] of [
    ['p50 from transition to delivery', 0.5, 15],
    ['p99 from transition to delivery', 0.99, 60],
  ] as const) {
    const beside = { name: 'limit', value: limit };
    context.figure({ name, ours: quantile(times, share), beside, unit: 'ms', better: 'less', target: 1 });
  }
  await reader.close();
  await entry.close();
  for (const service of services) await service.stop();
  await remove(brokers, prefix);
}

async function throughput(context: BenchContext, sink: Sink): Promise<void> {
  const { subscriptions, messages, batch } = THROUGHPUT;
  const prefix = context.prefix('throughput');
  const system = await WebhookSystem.create(context, prefix, sink);
  await system.subscribe(subscriptions, () => '/');
  await system.publish(messages);
  await sink.counts();
  const dispatcher = system.start('webhook-dispatcher', {
    WEBHOOK_BATCH_MESSAGES: String(batch),
    WEBHOOK_BATCH_BYTES: '4194304',
  });
  const cpuBefore = await dispatcher.cpuSeconds();
  const found = await sink.until(subscriptions * messages);
  const ours = sustained(found);
  const cpu = (await dispatcher.cpuSeconds()) - cpuBefore;
  await dispatcher.stop();
  const bodyFile = join(context.dir, 'webhook-body');
  writeFileSync(
    bodyFile,
    `[${Array.from({ length: batch }, (_, n) => messageText(n, Date.now())).join(',')}]`,
  );
  const options: BareWebhooksOptions = {
    url: `${sink.url}/`,
    secret: SECRET,
    caFile: sink.caFile,
    bodyFile,
    loops: subscriptions,
    requests: messages / batch,
  };
  // Counted in the same way, so that the sink has the same work.
  const [bare, counted] = await Promise.all([
    runScript<BareCounts>('bare-webhooks.ts', options),
    sink.until(subscriptions * messages),
  ]);
  const peer = sustained(counted);
  context.print(
    `${format(ours)} messages/s in ${found.requests} requests, ${cpu.toFixed(1)} s of processor since its start; ` +
      `bare ${format(peer)} messages/s, ${bare.cpuSeconds.toFixed(1)} s`,
  );
  const beside = { name: 'bare undici client', value: peer };
  context.figure({ name: 'throughput of 8 subscriptions', ours, beside, unit: 'messages/s', target: 0.8 });
  await remove(context.brokers, prefix);
}

/** Returns the messages per second in the second half: a dispatcher that has just started is slower. */
function sustained({ arrivals, lastAt }: SinkCounts): number {
  const middle = Math.floor(arrivals.length / 2);
  return ((arrivals.length - middle) * 1_000) / (lastAt - (arrivals[middle]?.[1] ?? lastAt));
}

async function isolation(context: BenchContext, sink: Sink): Promise<void> {
  const measure = async (dead: number): Promise<number[]> => {
    const prefix = context.prefix(`isolation-${dead}`);
    const system = await WebhookSystem.create(context, prefix, sink);
    const { subscriptions, messages, perSecond } = ISOLATION;
    const healthy = subscriptions - ISOLATION.dead;
    await system.subscribe(healthy + dead, (n) => (n < healthy ? '/' : '/hang'));
    const dispatcher = system.start('webhook-dispatcher');
    await system.publish(5);
    await sink.until(healthy * 5);
    const publish = await system.openPublisher();
    await pace(messages, perSecond, () => void publish.one());
    const { arrivals } = await sink.until(healthy * messages);
    await publish.close();
    await dispatcher.stop();
    await remove(context.brokers, prefix);
    const delays = arrivals.map(([uuid, at]) => at - Number(uuid.split(':')[1]));
    context.print(`${healthy} healthy and ${dead} hanging subscriptions: ${describeMs(delays)}`);
    return delays;
  };
  const without = await measure(0);
  const beside = await measure(ISOLATION.dead);
  context.figure({
    name: 'p99 of 180 subscriptions beside 20 that hang',
    ours: quantile(beside, 0.99),
    beside: { name: 'without these', value: quantile(without, 0.99) },
    unit: 'ms',
    better: 'less',
    target: 1.5,
  });
}

async function memory(context: BenchContext, sink: Sink): Promise<void> {
  const prefix = context.prefix('memory');
  const system = await WebhookSystem.create(context, prefix, sink);
  await system.subscribe(MEMORY.subscriptions, () => '/');
  await system.publish(MEMORY.messages);
  await sink.counts();
  const dispatcher = system.start('webhook-dispatcher');
  let arrived = 0;
  for (let second = 0; second < MEMORY.seconds; second++) {
    await delay(1_000);
    arrived += (await sink.counts()).arrivals.length;
  }
  const { peak } = await dispatcher.residentMiB();
  context.print(
    `${format(MEMORY.subscriptions)} subscriptions, ${format(MEMORY.messages)} messages behind: ${format(peak)} MiB at most, ` +
      `${format(arrived)} messages delivered in ${MEMORY.seconds} s`,
  );
  context.figure({
    name: 'memory with 1,000 subscriptions an hour behind',
    ours: peak,
    unit: 'MiB',
    better: 'less',
    target: 1,
    beside: { name: 'limit', value: MEMORY.limitMiB },
  });
  await dispatcher.stop();
  await remove(context.brokers, prefix);
}
