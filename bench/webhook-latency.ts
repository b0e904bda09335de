import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
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
  warmUp: sizeOf(null, 1_000, 50),
  messages: sizeOf('BENCH_MESSAGES', 3_000, 100),
};
/** Attempts are recorded after the delivery, up to this much later. */
const RECORDED_MS = 500;

/** What is known of a message by its `uuid`, Unix milliseconds. */
type Stamps = {
  /** A committed reader has its transition. */
  transition?: number;
  /** The composer has sent it to the broker. */
  composed?: number;
  /** A committed reader has it. */
  message?: number;
};

/** An accepted request of a subscription, as its attempt says. */
type Attempt = { readonly startedAt: number; readonly endedAt: number };

/**
 * From the moment a reader has a transition to the arrival of its message at ten receivers, by step: composed, committed, sent
 * (its turn in the subscription), arrived. The last step, from the arrival until the attempt is recorded, holds up the batch
 * after it.
 */
export async function latency(context: BenchContext, sink: Sink): Promise<void> {
  const { subscriptions, perSecond, warmUp, messages } = LATENCY;
  const prefix = context.prefix('latency');
  const place = await WebhookBench.create(context, prefix, sink);
  const ids = await place.subscribe(subscriptions, (n) => `/${n}`);
  const services = new Map(
    ['match-processor', 'webhook-composer', 'webhook-dispatcher'].map((name) => [name, place.start(name)]),
  );
  const entry = await byPublisher(context, prefix);
  const { stamps, attempts, close } = readSteps(context, prefix);
  const live = liveMessages();
  // What is composed is what was received lately.
  const send = () => void entry.send({ ...live.next().value, ut: Math.floor(Date.now() / 1_000) });
  await pace(warmUp, perSecond, send);
  await sink.until(warmUp * subscriptions * 0.9);
  const cpu = await cpuOf(services);
  await pace(messages, perSecond, send);
  const { arrivals, requests } = await sink.until(messages * subscriptions * 0.99);
  const used = [...(await cpuOf(services))].map(
    ([name, seconds]) => `${name} ${format(seconds - (cpu.get(name) ?? 0))} s`,
  );
  await new Promise((resolve) => setTimeout(resolve, RECORDED_MS));
  const steps = stepsOf(arrivals, ids, stamps, attempts);
  const all = steps.get('transition to delivery') ?? [];
  context.print(`latency of ${all.length} messages in ${requests} requests; processor: ${used.join(', ')}`);
  for (const [step, times] of steps) context.print(`  ${step}: ${quantiles(times)}`);
  for (const [name, share, limit] of [
    ['p50 from transition to delivery', 0.5, 15],
    ['p99 from transition to delivery', 0.99, 60],
  ] as const) {
    const beside = { name: 'limit', value: limit };
    context.figure({ name, ours: quantile(all, share), beside, unit: 'ms', better: 'less', target: 1 });
  }
  await close();
  await entry.close();
  for (const service of services.values()) await service.stop();
  await remove(context.brokers, prefix);
}

/** Reads what the topics say of each step. */
function readSteps(context: BenchContext, prefix: string) {
  const { brokers, registryUrl } = context;
  const registry = Registry.open({ url: registryUrl, prefix });
  const stamps = new Map<string, Stamps>();
  const attempts = new Map<string, Attempt>();
  const stamp = (uuid: string, known: Stamps) => void stamps.set(uuid, { ...stamps.get(uuid), ...known });
  const transitions = registry.decoder('match-transitions');
  const messages = registry.decoder('webhook-messages');
  const outcomes = registry.decoder('webhook-attempts');
  const readers = [
    new TopicReader({
      brokers,
      topic: topicName(prefix, 'match-transitions'),
      async onRecords(_, records) {
        const at = Date.now();
        for (const { value } of records) {
          if (value === null) continue;
          const { id, n } = await transitions.read(value);
          if (n === 0) stamp(id, { transition: at });
        }
      },
    }),
    new TopicReader({
      brokers,
      topic: topicName(prefix, 'webhook-messages'),
      async onRecords(_, records) {
        const at = Date.now();
        for (const { value, timestamp } of records) {
          if (value === null) continue;
          stamp((await messages.read(value)).uuid, { composed: timestamp, message: at });
        }
      },
    }),
    new TopicReader({
      brokers,
      topic: topicName(prefix, 'webhook-attempts'),
      async onRecords(_, records) {
        for (const { value } of records) {
          if (value === null) continue;
          const { subscription_id, first, started_at, at } = await outcomes.read(value);
          if (first !== null && started_at !== null)
            attempts.set(`${subscription_id} ${first}`, { startedAt: started_at, endedAt: at });
        }
      },
    }),
  ];
  return {
    stamps,
    attempts,
    close: async () => void (await Promise.all(readers.map((reader) => reader.close()))),
  };
}

function stepsOf(
  arrivals: SinkCounts['arrivals'],
  ids: ReadonlyMap<string, string>,
  stamps: ReadonlyMap<string, Stamps>,
  attempts: ReadonlyMap<string, Attempt>,
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
    add('  transition to composed', transition, composed);
    add('  composed to committed', composed, message);
    add('  committed to request', message, attempt?.startedAt);
    add('  request to arrival', attempt?.startedAt, arrived);
    if (uuid === first) add('request to its record', attempt?.startedAt, attempt?.endedAt);
  }
  return steps;
}

async function cpuOf(services: ReadonlyMap<string, Running>): Promise<Map<string, number>> {
  const used = new Map<string, number>();
  for (const [name, running] of services) used.set(name, await running.cpuSeconds());
  return used;
}

/** Quantiles of times in milliseconds, as a line. */
export function quantiles(times: readonly number[]): string {
  const at = (share: number) => quantile(times, share).toFixed(0);
  return `p50 ${at(0.5)} p90 ${at(0.9)} p99 ${at(0.99)} max ${at(1)} ms of ${times.length}`;
}
