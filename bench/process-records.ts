/**
 * Measures the cost of a message in a match processor on a thread that does nothing else: from the bytes of fetched
 * records to the bytes of output records, without a broker. Prints the cpu time of a message, garbage collection
 * included, and a digest of all output: equal digests are equal bytes.
 *
 *     node bench/process-records.ts                     # 50,000 messages of 250 matches that are live at once
 *     BENCH_EVENTS=100 node bench/process-records.ts    # 20,000 of 100
 *     node bench/process-records.ts fixtures            # the first message of 20,000 matches
 */
import { createHash } from 'node:crypto';
import { normalizeMessage } from '#ingestion/normalize.ts';
import type { ConsumedRecord } from '#streams/client/port.ts';
import { RecordCollector } from '#streams/runtime/processor.ts';
import { TOPICS } from '#topics/topics.ts';
import { MatchPartition } from '../services/match-processor/match-partition.ts';
import { codecs } from '../services/match-processor/testing/partition.ts';
import { BenchMatch, liveRound, type TimedMessage } from './matches.ts';
import { sizeOf } from './size.ts';

const ONLY_FIRST = process.argv.includes('fixtures');
const EVENTS = sizeOf('BENCH_EVENTS', ONLY_FIRST ? 20_000 : 250, 20);
const MESSAGES = sizeOf(null, 200, 100);
const ROUNDS = sizeOf('BENCH_ROUNDS', 6, 1);
/** Bytes of one fetch of a processor of all partitions. */
const FETCH_BYTES = 2 * 1024 * 1024;
const { partitions: PARTITIONS } = TOPICS['normalized-messages'];
/** Time when fixtures are published, Unix seconds. */
const FIXTURES_AT = 1_789_000_000;
const DELIVERY_ID = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';

/** The records of one fetch. */
type Fetched = { readonly partition: number; readonly records: ConsumedRecord[]; bytes: number };

const fetches = readAll();
const messages = fetches.reduce((sum, { records }) => sum + records.length, 0);
let least = Number.POSITIVE_INFINITY;
let digest = '';
for (let round = 0; round < ROUNDS; round++) {
  const micros = processAll(round === 0);
  console.log(`round ${round}: ${(micros / messages).toFixed(2)} µs a message`);
  least = Math.min(least, micros / messages);
}
console.log(`${messages} messages, least ${least.toFixed(2)} µs each, wrote ${digest}`);

function readAll(): readonly Fetched[] {
  const all: Fetched[] = [];
  const open = new Map<number, Fetched>();
  let offset = 0;
  for (const { eventId, ut, message } of ONLY_FIRST ? fixtures() : liveRound(liveMatches())) {
    const context = { origin: 'webhook', deliveryId: DELIVERY_ID, receivedAt: ut * 1_000 + 1_500 } as const;
    const normalized = normalizeMessage(message, context);
    if (normalized.kind !== 'normalized') throw new Error(`a message is ${normalized.kind}`);
    const value = codecs['normalized-messages'].encode(normalized.message);
    const partition = eventId % PARTITIONS;
    let fetched = open.get(partition);
    if (fetched === undefined || fetched.bytes > FETCH_BYTES) {
      fetched = { partition, records: [], bytes: 0 };
      open.set(partition, fetched);
      all.push(fetched);
    }
    fetched.records.push({ offset: offset++, key: Buffer.from(String(eventId)), value });
    fetched.bytes += value.length;
  }
  return all;
}

function liveMatches(): BenchMatch[] {
  return Array.from({ length: EVENTS }, (_, match) => new BenchMatch(match, MESSAGES, (match * 37) % 900));
}

function* fixtures(): Generator<TimedMessage> {
  for (let match = 0; match < EVENTS; match++) yield new BenchMatch(match, 0, 0).fixture(FIXTURES_AT);
}

/** Returns the cpu time of all messages, microseconds. */
function processAll(digesting: boolean): number {
  const written = createHash('sha256');
  const partitions = Array.from(
    { length: PARTITIONS },
    (_, partition) =>
      new MatchPartition({
        partition,
        codecs,
        topicName: (topic) => topic,
        keepLoadedMs: 900_000,
        maxLoaded: 256,
      }),
  );
  let micros = 0;
  for (const { partition, records } of fetches) {
    const processor = partitions[partition] as MatchPartition;
    const collector = new RecordCollector(partition);
    const before = process.cpuUsage();
    for (const record of records) processor.process(record, collector);
    processor.flush(collector);
    processor.committed();
    const { user, system } = process.cpuUsage(before);
    micros += user + system;
    if (!digesting) continue;
    for (const { topic, key, value } of collector.records)
      written.update(`${topic} ${key} `).update(value ?? '');
  }
  for (const partition of partitions) partition.close();
  if (digesting) digest = written.digest('hex').slice(0, 16);
  return micros;
}
