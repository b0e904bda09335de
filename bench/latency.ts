import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '#embedded/ports.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type Contender, kafkaStreams, OURS } from './contenders.ts';
import { type Bench, type BenchContext, median, quantile } from './context.ts';
import { Follower, quietKafka, remove } from './kafka.ts';
import { LiveMatch } from './matches.ts';
import { buildPeer } from './peer.ts';
import { type Running, startService } from './processes.ts';
import { WebhookClient } from './webhook-client.ts';

const PER_SECOND = 200;
const MATCHES = 100;
const WARM_UP = { messages: 6_000, perSecond: 500 };
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 4);
const MESSAGES = Number(process.env.BENCH_MESSAGES ?? 3_000);
const PATIENCE_MS = 60_000;

/**
 * From the moment a signed webhook of one message is sent to the moment a read-committed consumer has the match-state
 * that the message made. Both contenders have their own receiver, topics and reader, all of them running the whole
 * time; messages go to one at a time, in turns, at fixed moments whether the last one was answered or not.
 */
export const bench: Bench = {
  about: `latency from webhook to read-committed match-state at ${PER_SECOND} messages/s, beside Kafka Streams`,
  async run(context) {
    await buildPeer(context);
    const ways = [
      await openWay(context, OURS),
      await openWay(context, kafkaStreams({ 'commit.interval.ms': 1, 'producer.linger.ms': 0 })),
    ];
    const plain = await openPlain(context);
    const subjects: Subject[] = [...ways, plain];
    for (const subject of subjects) await subject.measure(WARM_UP.messages, WARM_UP.perSecond);
    const measured = new Map<Subject, number[][]>(subjects.map((subject) => [subject, []]));
    for (let round = 1; round <= ROUNDS; round++) {
      for (const [subject, rounds] of measured) {
        const latencies = await subject.measure(MESSAGES, PER_SECOND);
        rounds.push(latencies);
        context.print(`round ${round} ${subject.name}: ${describe(latencies)}`);
      }
    }
    for (const subject of subjects) await subject.close();
    const [ours, peer, broker] = subjects.map((subject) => measured.get(subject) ?? []);
    for (const [name, share] of [
      ['p50', 0.5],
      ['p99', 0.99],
    ] as const) {
      const of = (rounds: number[][] | undefined) =>
        median((rounds ?? []).map((round) => quantile(round, share)));
      const figure = { ours: of(ours), unit: 'ms', better: 'less' } as const;
      context.figure({ ...figure, name, beside: { name: 'Kafka Streams', value: of(peer) }, target: 1 });
      context.figure({ ...figure, name, beside: { name: 'plain produce to consume', value: of(broker) } });
    }
  },
};

/** Something that messages go through. */
type Subject = {
  readonly name: string;
  /** Sends messages at a rate; resolves to the latency of each, milliseconds. */
  measure(messages: number, perSecond: number): Promise<number[]>;
  close(): Promise<void>;
};

function describe(latencies: readonly number[]): string {
  const at = (share: number) => quantile(latencies, share).toFixed(1);
  return `p50 ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)} max ${at(1)} ms of ${latencies.length} messages`;
}

/** Calls `send` at fixed moments. */
async function pace(messages: number, perSecond: number, send: () => void): Promise<void> {
  const started = performance.now();
  for (let sent = 0; sent < messages; sent++) {
    const due = started + (sent * 1_000) / perSecond;
    while (performance.now() < due) await delay(Math.max(0, Math.floor(due - performance.now())));
    send();
  }
}

/** When each message was sent, until it is seen; what is seen of an event covers all that was sent of it before. */
class Pending {
  readonly #byEvent = new Map<number, { id: string; sentAt: number }[]>();
  #count = 0;
  latencies: number[] = [];

  sent(eventId: number, id: string): void {
    const list = this.#byEvent.get(eventId) ?? [];
    this.#byEvent.set(eventId, list);
    list.push({ id, sentAt: performance.now() });
    this.#count += 1;
  }

  seen(eventId: number, id: string): void {
    const list = this.#byEvent.get(eventId);
    const index = list?.findIndex((one) => one.id === id) ?? -1;
    if (list === undefined || index < 0) return;
    const now = performance.now();
    for (const { sentAt } of list.splice(0, index + 1)) this.latencies.push(now - sentAt);
    this.#count -= index + 1;
  }

  /** Waits until everything sent was seen, and starts a new count. */
  async settle(): Promise<number[]> {
    const until = performance.now() + PATIENCE_MS;
    while (this.#count > 0) {
      if (performance.now() > until) throw new Error(`${this.#count} messages were sent and never seen`);
      await delay(5);
    }
    const { latencies } = this;
    this.latencies = [];
    return latencies;
  }
}

/** Messages of matches that are all live, taken in turns. */
function* liveMessages() {
  for (let first = 0; ; first += MATCHES) {
    const live = Array.from({ length: MATCHES }, (_, i) => new LiveMatch(first + i, 200, i));
    for (let step = 0; step < 200; step++) for (const match of live) yield match.tell();
  }
}

async function openWay(context: BenchContext, contender: Contender): Promise<Subject> {
  const { brokers, registryUrl } = context;
  const job = contender.on(context.prefix(contender === OURS ? 'ours' : 'peer'), 0);
  for (const prefix of new Set([job.prefix, job.outputPrefix])) await createTopics({ brokers, prefix });
  const secret = randomBytes(16).toString('hex');
  const port = await freePort();
  const receiver = startService('webhook-receiver', context.dir, {
    KAFKA_BROKERS: brokers.join(','),
    SCHEMA_REGISTRY_URL: registryUrl,
    TOPIC_PREFIX: job.prefix,
    WEBHOOK_PORT: String(port),
    WEBHOOK_SECRET: secret,
  });
  const processor = await job.start(context);
  const client = new WebhookClient(`http://127.0.0.1:${port}/webhook`, secret);
  await client.untilReady(PATIENCE_MS);
  const pending = new Pending();
  const decoder = Registry.open({ url: registryUrl, prefix: job.prefix }).decoder('match-state');
  const reader = await Follower.open(
    brokers,
    topicName(job.outputPrefix, 'match-state'),
    async ({ value }) => {
      if (value === null) return;
      const state = await decoder.decode(value);
      pending.seen(state.event_id, state.cause.message_id);
    },
  );
  const messages = liveMessages();
  return {
    name: contender.name,
    async measure(count, perSecond) {
      const answers: Promise<void>[] = [];
      await pace(count, perSecond, () => {
        const { value } = messages.next();
        if (value === undefined) return;
        const body = Buffer.from(JSON.stringify([value.message]));
        pending.sent(value.eventId, value.messageId);
        answers.push(client.post(body));
      });
      await Promise.all(answers);
      return pending.settle();
    },
    async close() {
      await reader.close();
      client.close();
      for (const one of [receiver, processor] satisfies Running[]) await one.stop();
      await remove(brokers, job.prefix);
    },
  };
}

/** The limit: one record of the same size, produced with acks=all and consumed, without transactions. */
async function openPlain(context: BenchContext): Promise<Subject> {
  const { brokers } = context;
  const prefix = context.prefix('plain');
  const topic = topicName(prefix, 'normalized-messages');
  await createTopics({ brokers, prefix });
  const producer = quietKafka(brokers).producer({ idempotent: true });
  await producer.connect();
  const pending = new Pending();
  const reader = await Follower.open(brokers, topic, async ({ key }) => {
    const [eventId, id] = key.split(' ');
    pending.seen(Number(eventId), id ?? '');
  });
  const messages = liveMessages();
  return {
    name: 'plain produce to consume',
    async measure(count, perSecond) {
      const sends: Promise<unknown>[] = [];
      await pace(count, perSecond, () => {
        const { value } = messages.next();
        if (value === undefined) return;
        const partition = value.eventId % 8;
        const record = {
          partition,
          key: `${value.eventId} ${value.messageId}`,
          value: JSON.stringify(value.message),
        };
        pending.sent(value.eventId, value.messageId);
        sends.push(producer.send({ topic, acks: -1, messages: [record] }));
      });
      await Promise.all(sends);
      return pending.settle();
    },
    async close() {
      await reader.close();
      await producer.disconnect();
      await remove(brokers, prefix);
    },
  };
}
