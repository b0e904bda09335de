/** Measures what a live message costs a match processor alone, and Kafka Streams: its processor and its broker. */
import { createTopics } from '#topics/admin.ts';
import { topicName } from '#topics/topics.ts';
import { type Contender, kafkaStreams, OURS } from './contenders.ts';
import { type BenchContext, format } from './context.ts';
import { remove } from './kafka.ts';
import { byPublisher } from './latency.ts';
import { liveMessages, sendLive, untilStill } from './live-load.ts';
import { machineUse, usedBy } from './machine-use.ts';
import type { TimedMessage } from './matches.ts';
import { buildPeer } from './peer.ts';
import { sizeOf } from './size.ts';

const WINDOW_SECONDS = sizeOf(null, 5, 1);
const WARM_UP = { count: sizeOf(null, 6_000, 100), perSecond: 1_000 };
/** It commits every 100 ms, its default. */
const PEER = kafkaStreams();

/** Measures processor time of a message at each rate beside Kafka Streams, one after the other, and adds the figures. */
export async function comparePeers(context: BenchContext, rates: readonly number[]): Promise<void> {
  await buildPeer(context);
  const ours = await measure(context, OURS, rates);
  const theirs = await measure(context, PEER, rates);
  for (const rate of rates)
    context.figure({
      name: `${rate} messages/s: processor time of a message, match processor and broker alone`,
      ours: ours.get(rate) ?? Number.NaN,
      beside: { name: PEER.name, value: theirs.get(rate) ?? Number.NaN },
      unit: 'ms',
      better: 'less',
      target: 0.5,
    });
}

/** Returns milliseconds of processor and broker together for a message, by rate. */
async function measure(
  context: BenchContext,
  contender: Contender,
  rates: readonly number[],
): Promise<Map<number, number>> {
  const { brokers } = context;
  const { name } = contender;
  const job = contender.on(context.prefix(`alone-${name.replaceAll(/\W+/g, '-')}`), 0);
  for (const prefix of new Set([job.prefix, job.outputPrefix])) await createTopics({ brokers, prefix });
  const entry = await byPublisher(context, job.prefix);
  const processor = await job.start(context);
  const source = { messages: liveMessages(), send: (message: TimedMessage) => entry.send(message) };
  const send = async (load: { readonly count: number; readonly perSecond: number }): Promise<void> => {
    await sendLive(source, load);
    await untilStill(brokers, topicName(job.outputPrefix, 'match-state'));
  };
  await send(WARM_UP);
  const used = new Map<number, number>();
  // The fastest first: a JVM still compiles its code, which counts most where messages are few.
  for (const perSecond of rates.toSorted((a, b) => b - a)) {
    const count = perSecond * WINDOW_SECONDS;
    const before = { machine: await machineUse(), processor: await processor.cpuSeconds() };
    await send({ count, perSecond });
    const broker = usedBy('broker', before.machine, await machineUse(), count) / 1e3;
    const own = (1e3 * ((await processor.cpuSeconds()) - before.processor)) / count;
    used.set(perSecond, broker + own);
    context.print(
      `${perSecond} messages/s, processor time of a message: ${name} ${format(own)} ms, its broker ${format(broker)} ms`,
    );
  }
  await entry.close();
  await processor.stop();
  await remove(brokers, job.prefix, [job.group]);
  return used;
}
