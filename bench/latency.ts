import { silentLogger } from '#streams/log.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { normalized } from './backlog.ts';
import { AT_ONCE, type Contender, kafkaStreams, matchProcessor, OURS } from './contenders.ts';
import { type Bench, type BenchContext, describeMs, PROCESSOR, quantile } from './context.ts';
import { floor } from './floors.ts';
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
 * match-state. One subject runs at a time, in turns; each starts with new topics and its own receiver, and is warm
 * before the measurement.
 */
export const bench: Bench = {
  about: `latency from webhook to read-committed match-state at ${PER_SECOND} messages/s, beside Kafka Streams and a bare loop`,
  subject: [...PROCESSOR, 'services/webhook-receiver'],
  async run(context) {
    await buildPeer(context);
    const ours: Subject = { name: OURS.name, contender: OURS };
    const peer: Subject = { name: 'Kafka Streams', contender: kafkaStreams(AT_ONCE) };
    const least: Subject = { name: 'floor', contender: floor('in-turn'), read: readMessages };
    const turns = await measureInTurns(context, ROUNDS, [ours, peer, least]);
    turns.compare(ours, least, { ...P50, target: 1.3 });
    turns.compare(ours, peer, P50);
    turns.compare(ours, least, { ...P99, target: 1.5 });
    turns.compare(ours, peer, { ...P99, target: 0.8 });
  },
};

/** Returns the figure of a quantile of latencies. */
export function quantileFigure(name: string, share: number) {
  return {
    name,
    unit: 'ms',
    better: 'less',
    of: (latencies: readonly number[]) => quantile(latencies, share),
  } as const;
}
export const P50 = quantileFigure('p50', 0.5);
export const P99 = quantileFigure('p99', 0.99);

/** A system that processes messages. */
type Subject = {
  readonly name: string;
  readonly contender: Contender;
  /** Settings of its receiver. */
  readonly env?: Readonly<Record<string, string>>;
  /** Returns a function that reads the causing message from its match-state. Default: that of a match processor. */
  readonly read?: (registry: Registry) => (value: Buffer) => Promise<Mark>;
} & AroundRound;

/** Actions before and after a round, with the prefix of its topics. */
type AroundRound = {
  /** Called once the topics exist. */
  readonly prepare?: (prefix: string) => Promise<void>;
  /** Called after the last message, before the topics are deleted. `messages` is the number of sent messages. */
  readonly measured?: (prefix: string, messages: number) => Promise<void>;
};

/** Identifies a message. */
type Mark = { readonly eventId: number; readonly messageId: string };

/** The entry for messages. */
type Entry = {
  send(message: TimedMessage): Promise<void>;
  close(): Promise<void>;
};

function measureInTurns<S extends Subject>(context: BenchContext, rounds: number, subjects: readonly S[]) {
  return Turns.take(context, {
    rounds,
    subjects,
    measure: (subject, round) => measure(context, subject, round),
    describe: describeMs,
  });
}

/** Measures receiver and match processor with several settings, in turns, each beside the first. */
export async function compareLatency(
  context: BenchContext,
  rounds: number,
  variants: readonly (AroundRound & Pick<Subject, 'name' | 'env'>)[],
): Promise<void> {
  const subjects = variants.map((variant) => ({ ...variant, contender: matchProcessor(1, variant.env) }));
  const turns = await measureInTurns(context, rounds, subjects);
  const [first, ...others] = subjects;
  for (const subject of others)
    for (const figure of [P50, P99]) {
      const name = `${subject.name}: ${figure.name} from webhook to match-state`;
      turns.compare(subject, first as Subject, { ...figure, name });
    }
}

/** Runs one round of a subject: starts it, warms it, measures, and cleans up. */
async function measure(context: BenchContext, subject: Subject, round: number): Promise<number[]> {
  const { brokers, registryUrl } = context;
  const job = subject.contender.on(context.prefix(`${subject.name.replaceAll(' ', '-')}-${round}`), round);
  for (const prefix of new Set([job.prefix, job.outputPrefix])) await createTopics({ brokers, prefix });
  await subject.prepare?.(job.prefix);
  const entry = await byWebhook(context, job.prefix, subject.env);
  const processor = await job.start(context);
  const pending = new Pending();
  const markOf = (subject.read ?? readStates)(Registry.open({ url: registryUrl, prefix: job.prefix }));
  const reader = new TopicReader({
    brokers,
    topic: topicName(job.outputPrefix, 'match-state'),
    async onRecords(_, records) {
      const at = performance.now();
      for (const { value } of records) {
        if (value === null) continue;
        const { eventId, messageId } = await markOf(value);
        pending.seen(eventId, Number(messageId), at);
      }
    },
  });
  const source = { messages: liveMessages(), send: (message: TimedMessage) => entry.send(message) };
  const send = async (count: number, perSecond: number): Promise<number[]> => {
    await sendLive(source, { count, perSecond }, ({ eventId, messageId }) =>
      pending.sent(eventId, Number(messageId)),
    );
    return pending.settle();
  };
  await send(WARM_UP.messages, WARM_UP.perSecond);
  const latencies = await send(MESSAGES, PER_SECOND);
  await subject.measured?.(job.prefix, WARM_UP.messages + MESSAGES);
  await reader.close();
  await entry.close();
  await processor.stop();
  await remove(brokers, job.prefix, [job.group]);
  return latencies;
}

/** Returns a function that reads the causing message from a state. */
function readStates(registry: Registry): (value: Buffer) => Promise<Mark> {
  const decoder = registry.decoder('match-state');
  return async (value) => {
    const { event_id, cause } = await decoder.read(value);
    return { eventId: event_id, messageId: cause.message_id };
  };
}

/** Returns a function that reads the message that the floor has copied. */
function readMessages(registry: Registry): (value: Buffer) => Promise<Mark> {
  const decoder = registry.decoder('normalized-messages');
  return async (value) => {
    const { event_id, message_id } = await decoder.read(value);
    return { eventId: event_id, messageId: message_id };
  };
}

/** Opens an entry that sends each message in a signed delivery to its own receiver. */
async function byWebhook(
  context: BenchContext,
  prefix: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Entry> {
  const { client, process } = await startReceiver(context, prefix, env);
  return {
    send: ({ message }) => client.post(Buffer.from(JSON.stringify([message]))),
    async close() {
      client.close();
      await process.stop();
    },
  };
}

/** Opens an entry that publishes to the input topic, as the receiver would. */
export async function byPublisher({ brokers, registryUrl }: BenchContext, prefix: string): Promise<Entry> {
  const codec = await Registry.open({ url: registryUrl, prefix }).codec('normalized-messages');
  const publisher = await openPublisher({ brokers, clientId: 'bench-latency', log: silentLogger });
  const topic = topicName(prefix, 'normalized-messages');
  return {
    send: (message) =>
      publisher.publish([{ topic, key: String(message.eventId), value: codec.encode(normalized(message)) }]),
    close: () => publisher.close(),
  };
}
