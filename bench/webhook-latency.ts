import type { TopicValues } from '#records/types.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { Registry } from '#topics/registry.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { type BenchContext, format, quantile } from './context.ts';
import { remove } from './kafka.ts';
import { byPublisher } from './latency.ts';
import { liveMessages, pace } from './live-load.ts';
import type { Running } from './processes.ts';
import { sizeOf } from './size.ts';
import { TopicReader } from './topic-reader.ts';
import { type Sink, WebhookBench } from './webhook-place.ts';
import type { SinkCounts } from './webhook-sink.ts';

const LATENCY = {
  perSecond: 200,
  subscriptions: 10,
  /** Long enough for the broker's JIT compiler, which takes one of two cores for half a minute. */
  warmUp: sizeOf(null, 8_000, 50),
  messages: sizeOf('BENCH_MESSAGES', 6_000, 100),
  stepMessages: sizeOf(null, 2_000, 50),
};
/** Maximum delay between a delivery and the record of its attempt. */
const RECORDED_MS = 500;

/** Times of a message, Unix milliseconds. */
type Stamps = {
  /** When a read-committed reader had its transition. */
  transition?: number;
  /** When it was sent to the broker. */
  composed?: number;
  /** When a read-committed reader had it. */
  message?: number;
};

/** An accepted request of a subscription, from its recorded attempt. */
type Attempt = { readonly startedAt: number; readonly endedAt: number };

/**
 * Measures the time from when a reader has a transition until its message arrives at ten receivers. Then, with fewer
 * messages, it measures each step: composed, committed, sent (its turn in the subscription), arrived. The readers for
 * the steps cost the broker an eighth of its time, so they do not run while the figures are measured.
 */
export async function latency(context: BenchContext, sink: Sink): Promise<void> {
  const { subscriptions, perSecond, warmUp, messages, stepMessages } = LATENCY;
  const prefix = context.prefix('latency');
  const place = await WebhookBench.create(context, prefix, sink);
  const ids = await place.subscribe(subscriptions, (n) => `/${n}`);
  const services = new Map(
    ['match-processor', 'webhook-dispatcher'].map((name) => [name, place.start(name)]),
  );
  const entry = await byPublisher(context, prefix);
  const reads = readStamps(context, prefix);
  reads.transitions();
  const live = liveMessages();
  // Only recently received messages are composed.
  const send = () => void entry.send({ ...live.next().value, ut: Math.floor(Date.now() / 1_000) });
  const deliver = async (count: number) => {
    await pace(count, perSecond, send);
    return await sink.until(count * subscriptions * 0.99);
  };
  await deliver(warmUp);
  const cpu = await cpuOf(services);
  const { arrivals, requests } = await deliver(messages);
  const used = [...(await cpuOf(services))].map(
    ([name, seconds]) => `${name} ${format(seconds - (cpu.get(name) ?? 0))} s`,
  );
  const all = stepsOf(arrivals, ids, reads).get('transition to delivery') ?? [];
  context.print(`latency of ${all.length} messages in ${requests} requests; processor: ${used.join(', ')}`);
  context.print(`  transition to delivery: ${quantiles(all)}`);
  reads.steps();
  // Subscriptions begin with earlier messages.
  await deliver(stepMessages / 5);
  const { arrivals: stepArrivals } = await deliver(stepMessages);
  await new Promise((resolve) => setTimeout(resolve, RECORDED_MS));
  const steps = stepsOf(stepArrivals, ids, reads);
  for (const [step, times] of steps) context.print(`  by step: ${step}: ${quantiles(times)}`);
  for (const [name, share, limit] of [
    ['p50 from transition to delivery', 0.5, 15],
    ['p99 from transition to delivery', 0.99, 60],
  ] as const) {
    const beside = { name: 'limit', value: limit };
    context.figure({ name, ours: quantile(all, share), beside, unit: 'ms', better: 'less', target: 1 });
  }
  await reads.close();
  await entry.close();
  for (const service of services.values()) await service.stop();
  await remove(context.brokers, prefix);
}

/** The times that readers of the topics record. */
type Reads = {
  readonly stamps: ReadonlyMap<string, Stamps>;
  readonly attempts: ReadonlyMap<string, Attempt>;
  /** Starts reading transitions. */
  transitions(): void;
  /** Starts reading the topics for the other steps. */
  steps(): void;
  close(): Promise<void>;
};

function readStamps(context: BenchContext, prefix: string): Reads {
  const { brokers, registryUrl } = context;
  const registry = Registry.open({ url: registryUrl, prefix });
  const stamps = new Map<string, Stamps>();
  const attempts = new Map<string, Attempt>();
  const stamp = (uuid: string, known: Stamps) => void stamps.set(uuid, { ...stamps.get(uuid), ...known });
  const readers: TopicReader[] = [];
  const read = <T extends TopicName>(
    topic: T,
    take: (value: TopicValues[T], record: ReadRecord, at: number) => void,
  ): void => {
    const decoder = registry.decoder(topic);
    readers.push(
      new TopicReader({
        brokers,
        topic: topicName(prefix, topic),
        async onRecords(_, records) {
          const at = Date.now();
          for (const record of records)
            if (record.value !== null) take(await decoder.read(record.value), record, at);
        },
      }),
    );
  };
  return {
    stamps,
    attempts,
    transitions: () =>
      read('match-transitions', ({ id, n }, _, at) => {
        if (n === 0) stamp(id, { transition: at });
      }),
    steps() {
      read('webhook-messages', ({ uuid }, { timestamp }, at) =>
        stamp(uuid, { composed: timestamp, message: at }),
      );
      read('webhook-attempts', ({ subscription_id, first, started_at, at }) => {
        if (first !== null && started_at !== null)
          attempts.set(`${subscription_id} ${first}`, { startedAt: started_at, endedAt: at });
      });
    },
    close: async () => void (await Promise.all(readers.map((reader) => reader.close()))),
  };
}

function stepsOf(
  arrivals: SinkCounts['arrivals'],
  ids: ReadonlyMap<string, string>,
  { stamps, attempts }: Reads,
): Map<string, number[]> {
  const steps = new Map<string, number[]>();
  const add = (step: string, from: number | undefined, to: number | undefined): void => {
    if (from === undefined || to === undefined) return;
    const times = steps.get(step) ?? [];
    steps.set(step, times);
    times.push(Math.max(0, to - from));
  };
  for (const [uuid, arrived, path, first] of arrivals) {
    const { transition, composed, message } = stamps.get(uuid) ?? {};
    const attempt = attempts.get(`${ids.get(path)} ${first}`);
    add('transition to delivery', transition, arrived);
    add('transition to composed', transition, composed);
    add('composed to committed', composed, message);
    add('committed to request', message, attempt?.startedAt);
    add('request to arrival', attempt?.startedAt, arrived);
    if (uuid === first) add('request to its record', attempt?.startedAt, attempt?.endedAt);
  }
  return steps;
}

async function cpuOf(services: ReadonlyMap<string, Running>): Promise<Map<string, number>> {
  const used = new Map<string, number>();
  for (const [name, running] of services) used.set(name, await running.cpuSeconds());
  return used;
}

/** Formats quantiles of times in milliseconds. */
export function quantiles(times: readonly number[]): string {
  const at = (share: number) => quantile(times, share).toFixed(0);
  return `p50 ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)} max ${at(1)} ms of ${times.length}`;
}
