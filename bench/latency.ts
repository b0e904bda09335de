import { silentLogger } from '#streams/log.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { normalized } from './backlog.ts';
import { AT_ONCE, type Contender, kafkaStreams, OURS } from './contenders.ts';
import { type Bench, type BenchContext, describeMs, quantile } from './context.ts';
import { remove } from './kafka.ts';
import { liveMessages, Pending, sendLive } from './live-load.ts';
import type { TimedMessage } from './matches.ts';
import { buildPeer } from './peer.ts';
import { sizeOf } from './size.ts';
import { TopicReader } from './topic-reader.ts';
import { Turns } from './turns.ts';
import { startReceiver } from './webhook-client.ts';

const PER_SECOND = 200;
const WARM_UP = { messages: sizeOf(null, 6_000, 200), perSecond: 500 };
const ROUNDS = sizeOf('BENCH_ROUNDS', 3, 1);
const MESSAGES = sizeOf('BENCH_MESSAGES', 3_000, 100);

/**
 * Measures the time from sending a signed webhook of one message until a read-committed reader has the resulting
 * match-state. One contender runs at a time, in turns; each starts with new topics and its own receiver, and is warm
 * before the measurement.
 */
export const bench: Bench = {
  about: `latency from webhook to read-committed match-state at ${PER_SECOND} messages/s, beside Kafka Streams`,
  async run(context) {
    await buildPeer(context);
    const peer = kafkaStreams(AT_ONCE);
    const turns = await Turns.take(context, {
      rounds: ROUNDS,
      subjects: [OURS, peer],
      measure: (contender, round) => measure(context, contender, round),
      describe: describeMs,
    });
    const less = { unit: 'ms', better: 'less' } as const;
    turns.compare(OURS, peer, { ...less, name: 'p50', of: (times) => quantile(times, 0.5) });
    turns.compare(OURS, peer, { ...less, name: 'p99', of: (times) => quantile(times, 0.99), target: 0.8 });
  },
};

/** Runs one round of a contender: starts it, warms it, measures, and cleans up. */
async function measure(context: BenchContext, contender: Contender, round: number): Promise<number[]> {
  const { brokers, registryUrl } = context;
  const job = contender.on(context.prefix(`${contender.name.replaceAll(' ', '-')}-${round}`), round);
  for (const prefix of new Set([job.prefix, job.outputPrefix])) await createTopics({ brokers, prefix });
  const { client, process: receiver } = await startReceiver(context, job.prefix);
  const processor = await job.start(context);
  const pending = new Pending();
  const decoder = new Registry({ url: registryUrl, prefix: job.prefix }).decoder('match-state');
  const reader = new TopicReader({
    brokers,
    topic: topicName(job.outputPrefix, 'match-state'),
    async onRecords(_, records) {
      const at = performance.now();
      for (const { value } of records) {
        if (value === null) continue;
        const { event_id, cause } = await decoder.read(value);
        pending.seen(event_id, Number(cause.message_id), at);
      }
    },
  });
  const source = {
    messages: liveMessages(),
    send: ({ message }: TimedMessage) => client.post(Buffer.from(JSON.stringify([message]))),
  };
  const send = async (count: number, perSecond: number): Promise<number[]> => {
    await sendLive(source, { count, perSecond }, ({ eventId, messageId }) =>
      pending.sent(eventId, Number(messageId)),
    );
    return pending.settle();
  };
  await send(WARM_UP.messages, WARM_UP.perSecond);
  const latencies = await send(MESSAGES, PER_SECOND);
  await reader.close();
  client.close();
  await receiver.stop();
  await processor.stop();
  await remove(brokers, job.prefix, [job.group]);
  return latencies;
}

/** Publishes messages. */
type MessagePublisher = { send(message: TimedMessage): Promise<void>; close(): Promise<void> };

/** Opens a publisher to the input topic, which publishes as the receiver would. */
export async function byPublisher(
  { brokers, registryUrl }: BenchContext,
  prefix: string,
): Promise<MessagePublisher> {
  const codec = await new Registry({ url: registryUrl, prefix }).codec('normalized-messages');
  const publisher = await openPublisher({ brokers, clientId: 'bench-latency', log: silentLogger });
  const topic = topicName(prefix, 'normalized-messages');
  return {
    send: (message) =>
      publisher.publish([{ topic, key: String(message.eventId), value: codec.encode(normalized(message)) }]),
    close: () => publisher.close(),
  };
}
