import { type Bench, type BenchContext, format } from './context.ts';
import { remove } from './kafka.ts';
import { sizeOf } from './size.ts';
import type { SinkCounts } from './webhook-sink.ts';
import { Sink, WebhookSystem } from './webhook-system.ts';

const THROUGHPUT = { subscriptions: 8, messages: sizeOf(null, 120_000, 1_000), batch: 100 };

/** Measures how many messages a second are delivered; when one arrives is measured by `live`. */
export const bench: Bench = {
  about: 'webhooks out: throughput of 8 subscriptions',
  async run(context) {
    const sink = await Sink.start(context);
    await throughput(context, sink).finally(() => sink.stop());
  },
};

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
