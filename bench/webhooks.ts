import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BareCounts } from './bare-webhooks.ts';
import { type Bench, type BenchContext, format, quantile } from './context.ts';
import { remove } from './kafka.ts';
import { pace } from './live-load.ts';
import { sizeOf } from './size.ts';
import { latency, quantiles } from './webhook-latency.ts';
import { messageText, SECRET, Sink, WebhookBench } from './webhook-place.ts';
import type { SinkCounts } from './webhook-sink.ts';

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
  subject: ['libs/outbound', 'libs/webhooks', 'services/match-processor', 'services/webhook-dispatcher'],
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

async function throughput(context: BenchContext, sink: Sink): Promise<void> {
  const { subscriptions, messages, batch } = THROUGHPUT;
  const prefix = context.prefix('throughput');
  const place = await WebhookBench.create(context, prefix, sink);
  await place.subscribe(subscriptions, () => '/');
  await place.publish(messages);
  await sink.counts();
  const dispatcher = place.start('webhook-dispatcher', {
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
  const requests = (subscriptions * messages) / batch;
  const bareRun = promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'bare-webhooks.ts'),
    `${sink.url}/`,
    SECRET,
    sink.caFile,
    bodyFile,
    String(subscriptions),
    String(requests),
  ]);
  // Counted in the same way, so that the sink has the same work.
  const [{ stdout }, counted] = await Promise.all([bareRun, sink.until(subscriptions * messages)]);
  const bare = JSON.parse(stdout) as BareCounts;
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
    const place = await WebhookBench.create(context, prefix, sink);
    const { subscriptions, messages, perSecond } = ISOLATION;
    await place.subscribe(subscriptions, (n) => (n >= subscriptions - ISOLATION.dead ? '/hang' : '/'), dead);
    const dispatcher = place.start('webhook-dispatcher');
    const healthy = subscriptions - ISOLATION.dead;
    await place.publish(5);
    await sink.until(healthy * 5);
    const publish = await place.openPublisher();
    await pace(messages, perSecond, () => void publish.one());
    const { arrivals } = await sink.until(healthy * messages);
    await publish.close();
    await dispatcher.stop();
    await remove(context.brokers, prefix);
    const delays = arrivals.map(([uuid, at]) => at - Number(uuid.split(':')[1]));
    context.print(`${healthy} healthy and ${dead} hanging subscriptions: ${quantiles(delays)}`);
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
  const place = await WebhookBench.create(context, prefix, sink);
  await place.subscribe(MEMORY.subscriptions, () => '/');
  await place.publish(MEMORY.messages);
  await sink.counts();
  const dispatcher = place.start('webhook-dispatcher');
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
