import { silentLogger } from '#streams/log.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { createTopics } from '#topics/admin.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import { type Bench, type BenchContext, describeMs } from './context.ts';
import type { Way } from './floor/transactions.ts';
import { floor } from './floors.ts';
import { remove } from './kafka.ts';
import { P50, P99, quantileFigure } from './latency.ts';
import { Pending, pace } from './live-load.ts';
import { sizeOf } from './size.ts';
import { TopicReader } from './topic-reader.ts';
import { Turns } from './turns.ts';

/**
 * The ways of transactions; the others are compared with the first. Produce without waiting for AddPartitionsToTxn is
 * not among them: while the broker still ends the previous transaction, records may become part of that one.
 */
const WAYS: readonly { readonly name: string; readonly way: Way }[] = [
  { name: 'in turn', way: 'in-turn' },
  { name: 'version 2', way: 'version-2' },
];
const PER_SECOND = 200;
const WARM_UP = { messages: sizeOf(null, 3_000, 100), perSecond: 500 };
const ROUNDS = sizeOf('BENCH_ROUNDS', 3, 1);
/** Messages of each variant in a round. */
const MESSAGES = sizeOf('BENCH_MESSAGES', 1_000, 50);
const VALUE = Buffer.alloc(2_600, 'x');

/**
 * Measures the bare loop of `floor/main.ts` in every variant that may have the lowest latency. All run at once and get
 * single messages in turns, because the differences are small and other load must affect all alike.
 */
export const bench: Bench = {
  about: 'the least latency of fetch, transaction and committed fetch, by the way transactions are made',
  subject: ['libs/streams'],
  async run(context) {
    const loops: Loop[] = [];
    for (const [at, variant] of WAYS.entries()) loops.push(await openLoop(context, variant, at));
    const send = (count: number, perSecond: number) => {
      let turn = 0;
      return pace(count * loops.length, perSecond, () => loops[turn++ % loops.length]?.send());
    };
    await send(WARM_UP.messages, WARM_UP.perSecond);
    for (const loop of loops) await loop.settle();
    const turns = await Turns.take(context, {
      rounds: ROUNDS,
      subjects: loops,
      beforeRound: () => send(MESSAGES, PER_SECOND),
      measure: (loop) => loop.settle(),
      describe: describeMs,
    });
    for (const loop of loops) await loop.close();
    const [first, ...others] = loops;
    for (const loop of others)
      for (const figure of [P50, quantileFigure('p90', 0.9), P99])
        turns.compare(loop, first as Loop, { ...figure, name: `${figure.name} ${loop.name}` });
  },
};

type Loop = {
  readonly name: string;
  send(): void;
  /** Waits until all sent messages were seen, and returns the latencies since the last call. */
  settle(): Promise<number[]>;
  close(): Promise<void>;
};

async function openLoop(
  context: BenchContext,
  { name, way }: (typeof WAYS)[number],
  at: number,
): Promise<Loop> {
  const { brokers } = context;
  const job = floor(way).on(context.prefix(String(at)), 0);
  await createTopics({ brokers, prefix: job.prefix });
  const input = topicName(job.prefix, 'normalized-messages');
  const running = await job.start(context);
  const pending = new Pending();
  const reader = new TopicReader({
    brokers,
    topic: topicName(job.prefix, 'match-state'),
    onRecords(_, records) {
      const seenAt = performance.now();
      for (const { key } of records) pending.seen(Number(key), 0, seenAt);
    },
  });
  const publisher = await openPublisher({ brokers, clientId: 'bench-floor', log: silentLogger });
  const { partitions } = TOPICS['normalized-messages'];
  let sent = 0;
  return {
    name,
    send() {
      const key = String(sent);
      pending.sent(sent++, 0);
      void publisher.publish([{ topic: input, partition: sent % partitions, key, value: VALUE }]);
    },
    settle: () => pending.settle(),
    async close() {
      await reader.close();
      await publisher.close();
      await running.stop();
      await remove(brokers, job.prefix);
    },
  };
}
