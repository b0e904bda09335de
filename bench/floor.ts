import { openPublisher } from '#streams/publish/publisher.ts';
import { createTopics } from '#topics/admin.ts';
import { TOPICS, topicName } from '#topics/topics.ts';
import { floor } from './contenders.ts';
import { type Bench, type BenchContext, median, quantile } from './context.ts';
import type { FloorVariant } from './floor/main.ts';
import { remove, silent } from './kafka.ts';
import { Pending, pace } from './live-load.ts';
import { sizeOf } from './size.ts';
import { TopicReader } from './topic-reader.ts';

/**
 * The variants of the floor; the others are compared with the first. Produce without waiting for AddPartitionsToTxn is
 * not among them: while the broker still ends the previous transaction, records may become part of that one.
 */
const VARIANTS: readonly (FloorVariant & { readonly name: string })[] = [
  { name: 'in turn', way: 'in-turn' },
  { name: 'version 2', way: 'version-2' },
  { name: 'in turn, 3 partitions', way: 'in-turn', positionWithIncidents: true },
  { name: 'in turn, one connection', way: 'in-turn', oneConnection: true },
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
    for (const [at, variant] of VARIANTS.entries()) loops.push(await openLoop(context, variant, at));
    for (const loop of loops) {
      await pace(WARM_UP.messages, WARM_UP.perSecond, () => loop.send());
      await loop.settle();
    }
    const rounds = new Map<Loop, number[][]>(loops.map((loop) => [loop, []]));
    for (let round = 1; round <= ROUNDS; round++) {
      let turn = 0;
      await pace(MESSAGES * loops.length, PER_SECOND, () => loops[turn++ % loops.length]?.send());
      for (const [loop, of] of rounds) of.push(await loop.settle());
      for (const [{ name }, of] of rounds)
        context.print(`round ${round} ${name}: ${describe(of.at(-1) ?? [])}`);
    }
    for (const loop of loops) await loop.close();
    const [[, base] = [], ...others] = rounds;
    for (const [{ name }, of] of others) {
      for (const [figure, share] of [
        ['p50', 0.5],
        ['p90', 0.9],
        ['p99', 0.99],
      ] as const) {
        const at = (all: readonly number[][] = []) => median(all.map((one) => quantile(one, share)));
        const beside = { name: VARIANTS[0]?.name ?? '', value: at(base) };
        context.figure({ name: `${figure} ${name}`, ours: at(of), beside, unit: 'ms', better: 'less' });
      }
    }
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
  variant: (typeof VARIANTS)[number],
  at: number,
): Promise<Loop> {
  const { brokers } = context;
  const job = floor(variant).on(context.prefix(String(at)), 0);
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
  const publisher = await openPublisher({ brokers, clientId: 'bench-floor', log: silent });
  const { partitions } = TOPICS['normalized-messages'];
  let sent = 0;
  return {
    name: variant.name,
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

function describe(latencies: readonly number[]): string {
  const at = (share: number) => quantile(latencies, share).toFixed(2);
  return `p10 ${at(0.1)} p50 ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)} ms of ${latencies.length} messages`;
}
