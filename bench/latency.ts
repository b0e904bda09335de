import { randomBytes } from 'node:crypto';
import { freePort } from '#embedded/ports.ts';
import { normalizeMessage } from '#ingestion/normalize.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { AT_ONCE, type Contender, floor, kafkaStreams, matchProcessor, OURS } from './contenders.ts';
import { type Bench, type BenchContext, connectionEnv, median, PROCESSOR, quantile } from './context.ts';
import { remove, silent } from './kafka.ts';
import { liveMessages, Pending, sendLive } from './live-load.ts';
import type { TimedMessage } from './matches.ts';
import { buildPeer } from './peer.ts';
import { startService } from './processes.ts';
import { FIRST_ROUND, roundName, sizeOf } from './size.ts';
import { TopicReader } from './topic-reader.ts';
import { WebhookClient } from './webhook-client.ts';

const PER_SECOND = 200;
const WARM_UP = { messages: sizeOf(null, 6_000, 200), perSecond: 500 };
const ROUNDS = sizeOf('BENCH_ROUNDS', 3, 1);
const MESSAGES = sizeOf('BENCH_MESSAGES', 3_000, 100);
const READY_MS = 60_000;

/**
 * Measures the time from sending a signed webhook of one message until a read-committed reader has the resulting
 * match-state. One subject runs at a time, in turns; each starts with new topics and its own receiver, and is warm
 * before the measurement. The first round warms the broker and does not count.
 */
export const bench: Bench = {
  about: `latency from webhook to read-committed match-state at ${PER_SECOND} messages/s, beside Kafka Streams and a bare loop`,
  subject: [...PROCESSOR, 'services/webhook-receiver'],
  async run(context) {
    await buildPeer(context);
    const bare = floor({ way: 'in-turn' });
    const ours: Subject = { name: OURS.name, contender: OURS, read: readStates, enter: byWebhook };
    const peer: Subject = {
      ...ours,
      name: 'Kafka Streams',
      contender: kafkaStreams(AT_ONCE),
    };
    const least: Subject = { name: 'floor', contender: bare, read: readMessages, enter: byWebhook };
    const straight: Subject = { ...least, name: 'floor without receiver', enter: byPublisher };
    const measured = new Map<Subject, number[][]>(
      [ours, peer, least, straight].map((subject) => [subject, []]),
    );
    for (let round = FIRST_ROUND; round <= ROUNDS; round++) {
      for (const [subject, rounds] of measured) {
        const latencies = await measure(context, subject, round);
        if (round > 0) rounds.push(latencies);
        const kind = roundName(round);
        context.print(`${kind} ${subject.name}: ${describe(latencies)}`);
      }
    }
    for (const { name, share, targets } of TARGETS) {
      const of = (subject: Subject) =>
        median((measured.get(subject) ?? []).map((round) => quantile(round, share)));
      for (const [subject, target] of [
        [least, targets.floor],
        [peer, targets.peer],
        [straight, null],
      ] as const) {
        context.figure({
          name,
          ours: of(ours),
          beside: { name: subject.name, value: of(subject) },
          unit: 'ms',
          better: 'less',
          ...(target === null ? {} : { target }),
        });
      }
    }
  },
};

const TARGETS = [
  { name: 'p50', share: 0.5, targets: { floor: 1.3, peer: null } },
  { name: 'p99', share: 0.99, targets: { floor: 1.5, peer: 0.8 } },
] as const;

/** A system that processes messages. */
type Subject = {
  readonly name: string;
  readonly contender: Contender;
  /** Returns a function that reads the causing message from its match-state. */
  readonly read: (registry: Registry) => (value: Buffer) => Promise<Mark>;
  readonly enter: (context: BenchContext, prefix: string) => Promise<Entry>;
} & AroundRound;

/** Actions before and after a round, with the prefix of its topics. */
type AroundRound = {
  /** Called once the topics exist. */
  readonly prepare?: (prefix: string) => Promise<void>;
  /** Called after the last message, before the topics are deleted. `messages` is the number of sent messages. */
  readonly measured?: (prefix: string, messages: number) => Promise<void>;
};

/** Identifies a message. */
export type Mark = { readonly eventId: number; readonly messageId: string };

/** The entry for messages. */
type Entry = {
  send(message: TimedMessage): Promise<void>;
  close(): Promise<void>;
};

/** Measures receiver and match processor with several settings, in turns, each beside the first. */
export async function compareLatency(
  context: BenchContext,
  rounds: number,
  variants: readonly (AroundRound & {
    readonly name: string;
    readonly env: Readonly<Record<string, string>>;
  })[],
): Promise<void> {
  const measured = variants.map(({ name, env, ...around }) => ({
    subject: {
      ...around,
      name,
      contender: matchProcessor(1, env),
      read: readStates,
      enter: (at: BenchContext, prefix: string) => byWebhook(at, prefix, env),
    },
    latencies: [] as number[][],
  }));
  for (let round = FIRST_ROUND; round <= rounds; round++) {
    for (const { subject, latencies } of measured) {
      const found = await measure(context, subject, round);
      if (round > 0) latencies.push(found);
      context.print(`${roundName(round)} ${subject.name}: ${describe(found)}`);
    }
  }
  const [first, ...others] = measured;
  for (const { subject, latencies } of others) {
    for (const { name, share } of TARGETS) {
      const of = (all: readonly number[][]) => median(all.map((one) => quantile(one, share)));
      context.figure({
        name: `${subject.name}: ${name} from webhook to match-state`,
        ours: of(latencies),
        unit: 'ms',
        better: 'less',
        beside: { name: first?.subject.name ?? '', value: of(first?.latencies ?? []) },
      });
    }
  }
}

function describe(latencies: readonly number[]): string {
  const at = (share: number) => quantile(latencies, share).toFixed(1);
  return `p50 ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)} max ${at(1)} ms of ${latencies.length} messages`;
}

/** Runs one round of a subject: starts it, warms it, measures, and cleans up. */
async function measure(context: BenchContext, subject: Subject, round: number): Promise<number[]> {
  const { brokers, registryUrl } = context;
  const job = subject.contender.on(context.prefix(`${subject.name.replaceAll(' ', '-')}-${round}`), round);
  for (const prefix of new Set([job.prefix, job.outputPrefix])) await createTopics({ brokers, prefix });
  await subject.prepare?.(job.prefix);
  const entry = await subject.enter(context, job.prefix);
  const processor = await job.start(context);
  const pending = new Pending();
  const markOf = subject.read(Registry.open({ url: registryUrl, prefix: job.prefix }));
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
export function readStates(registry: Registry): (value: Buffer) => Promise<Mark> {
  const decoder = registry.decoder('match-state');
  return async (value) => {
    const { event_id, cause } = await decoder.read(value);
    return { eventId: event_id, messageId: cause.message_id };
  };
}

/** Returns a function that reads the message that the floor has copied. */
export function readMessages(registry: Registry): (value: Buffer) => Promise<Mark> {
  const decoder = registry.decoder('normalized-messages');
  return async (value) => {
    const { event_id, message_id } = await decoder.read(value);
    return { eventId: event_id, messageId: message_id };
  };
}

/** Opens an entry that sends each message in a signed delivery to its own receiver. */
export async function byWebhook(
  context: BenchContext,
  prefix: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Entry> {
  const secret = randomBytes(16).toString('hex');
  const port = await freePort();
  const receiver = startService('webhook-receiver', context.dir, {
    ...connectionEnv(context, prefix),
    WEBHOOK_PORT: String(port),
    WEBHOOK_SECRET: secret,
    ...env,
  });
  const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, secret);
  await client.untilReady(READY_MS);
  return {
    send: ({ message }) => client.post(Buffer.from(JSON.stringify([message]))),
    async close() {
      client.close();
      await receiver.stop();
    },
  };
}

/** Opens an entry that publishes to the input topic, as the receiver would. */
export async function byPublisher({ brokers, registryUrl }: BenchContext, prefix: string): Promise<Entry> {
  const codec = await Registry.open({ url: registryUrl, prefix }).codec('normalized-messages');
  const publisher = await openPublisher({ brokers, clientId: 'bench-latency', log: silent });
  const topic = topicName(prefix, 'normalized-messages');
  return {
    send({ eventId, ut, message }) {
      const normalized = normalizeMessage(message, {
        origin: 'webhook',
        deliveryId: 'none',
        receivedAt: ut * 1_000,
      });
      if (normalized.kind !== 'normalized') throw new Error(`a message that is ${normalized.kind}`);
      return publisher.publish([{ topic, key: String(eventId), value: codec.encode(normalized.message) }]);
    },
    close: () => publisher.close(),
  };
}
