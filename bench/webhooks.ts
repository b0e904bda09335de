import { followRecords } from '#topics/follow-records.ts';
import { Registry } from '#topics/registry.ts';
import { type Bench, type BenchContext, describeMs, format, quantile } from './context.ts';
import { remove } from './kafka.ts';
import { byPublisher } from './latency.ts';
import { liveMessages, pace } from './live-load.ts';
import { sizeOf } from './size.ts';
import type { SinkCounts } from './webhook-sink.ts';
import { Sink, WebhookSystem } from './webhook-system.ts';

const LATENCY = {
  perSecond: 200,
  subscriptions: 10,
  /** Long enough for the broker's JIT compiler, which takes one of two cores for half a minute. */
  warmUp: sizeOf(null, 8_000, 50),
  messages: sizeOf('BENCH_MESSAGES', 6_000, 100),
};
const THROUGHPUT = { subscriptions: 8, messages: sizeOf(null, 120_000, 1_000), batch: 100 };

/** Measures when deliveries arrive, and how many a second. */
export const bench: Bench = {
  about: 'webhooks out: latency of 10 subscriptions, throughput of 8',
  async run(context) {
    const sink = await Sink.start(context);
    try {
      await latency(context, sink);
      await throughput(context, sink);
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
  context.print(
    `${format(ours)} messages/s in ${found.requests} requests, ${cpu.toFixed(1)} s of processor since its start`,
  );
  context.figure({ name: 'throughput of 8 subscriptions', ours, unit: 'messages/s' });
  await remove(context.brokers, prefix);
}

/** Returns the messages per second in the second half: a dispatcher that has just started is slower. */
function sustained({ arrivals, lastAt }: SinkCounts): number {
  const middle = Math.floor(arrivals.length / 2);
  return ((arrivals.length - middle) * 1_000) / (lastAt - (arrivals[middle]?.[1] ?? lastAt));
}
