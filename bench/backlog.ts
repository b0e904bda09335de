/** Fills `normalized-messages` with generated matches, as the webhook receiver would. */
import { normalizeMessage } from '#ingestion/normalize.ts';
import type { NormalizedMessage } from '#records/types.ts';
import { partitionOfKey } from '#streams/client/port.ts';
import { createTopics } from '#topics/admin.ts';
import { Registry } from '#topics/registry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import type { BenchContext } from './context.ts';
import { BulkWriter } from './kafka.ts';
import { BenchMatch, liveRound, type TimedMessage } from './matches.ts';

type BenchBacklogOptions = {
  readonly prefix: string;
  readonly events: number;
  /** Number of messages of each event. */
  readonly messages: number;
};

/** A written backlog. */
export type Backlog = BenchBacklogOptions & {
  readonly records: number;
  readonly bytes: number;
  /** Score of each event after all messages. */
  readonly finals: ReadonlyMap<number, { readonly home: number; readonly away: number }>;
};

/** Number of matches that are live at the same time; the next ones kick off when these are over. */
const LIVE_AT_ONCE = 250;
const ROUND_SECONDS = 3 * 3_600;
/** Period over which the kick-offs of a round are spread, seconds. */
const KICK_OFFS = 900;
/** Time when fixtures are published, Unix seconds. */
const FIXTURES_AT = 1_789_000_000;

/** Writes the backlog: rounds of matches, each round's messages in the order they were written. */
export async function writeBacklog(context: BenchContext, options: BenchBacklogOptions): Promise<Backlog> {
  const { prefix, events, messages } = options;
  const finals = new Map<number, { readonly home: number; readonly away: number }>();
  const rounds = function* () {
    for (let first = 0; first < events; first += LIVE_AT_ONCE) {
      const live = Array.from({ length: Math.min(LIVE_AT_ONCE, events - first) }, (_, i) => {
        const kickOff = (first / LIVE_AT_ONCE) * ROUND_SECONDS + ((i * 37) % KICK_OFFS);
        return new BenchMatch(first + i, messages, kickOff);
      });
      for (const match of live) finals.set(match.eventId, match.plan.final);
      yield* liveRound(live);
    }
  };
  return { ...options, ...(await write(context, prefix, events, rounds())), finals };
}

/** Writes one message for each of `events` future matches, all received within a minute. */
export function writeFixtures(context: BenchContext, prefix: string, events: number) {
  const fixtures = function* () {
    for (let match = 0; match < events; match++) {
      yield new BenchMatch(match, 0, 0).fixture(FIXTURES_AT + Math.floor((match * 60) / events));
    }
  };
  return write(context, prefix, events, fixtures());
}

async function write(
  context: BenchContext,
  prefix: string,
  events: number,
  messages: Iterable<TimedMessage>,
): Promise<{ readonly records: number; readonly bytes: number }> {
  const { brokers } = context;
  const started = performance.now();
  await createTopics({ brokers, prefix });
  const codec = await new Registry({ url: context.registryUrl, prefix }).codec('normalized-messages');
  const writer = await BulkWriter.open(brokers, topicName(prefix, 'normalized-messages'));
  let records = 0;
  let bytes = 0;
  for (const message of messages) {
    const value = codec.encode(normalized(message));
    const key = String(message.eventId);
    await writer.add(partitionOf('normalized-messages', key), key, value);
    records += 1;
    bytes += value.length;
  }
  await writer.close();
  const seconds = (performance.now() - started) / 1_000;
  context.print(
    `backlog ${prefix}: ${records} messages of ${events} events, ${Math.round(bytes / records)} bytes each, ` +
      `written in ${seconds.toFixed(1)} s`,
  );
  return { records, bytes };
}

const DELIVERY_ID = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
/** Time from when a message is written until it is received. */
const RECEIVED_AFTER_MS = 1_500;

/** Returns a generated message as the receiver publishes it. */
export function normalized({ ut, message }: TimedMessage): NormalizedMessage {
  const receivedAt = ut * 1_000 + RECEIVED_AFTER_MS;
  const result = normalizeMessage(message, { origin: 'webhook', deliveryId: DELIVERY_ID, receivedAt });
  if (result.kind !== 'normalized') throw new Error(`the generator made a message that is ${result.kind}`);
  return result.message;
}

/** Returns the partition of a key, as every producer chooses it. */
export function partitionOf(topic: TopicName, key: string): number {
  return partitionOfKey(key, TOPICS[topic].partitions);
}
