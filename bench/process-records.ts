/**
 * Measures the cost of a message in a match processor on a thread that does nothing else: from the bytes of fetched
 * records to the bytes of output records, without a broker. Prints the cpu time of a message, garbage collection
 * included, and a digest of all output: equal digests are equal bytes.
 *
 *     node bench/process-records.ts                     # 50,000 messages of 250 matches that are live at once
 *     BENCH_EVENTS=100 node bench/process-records.ts    # 20,000 of 100
 *     node bench/process-records.ts --beside ../before  # and a work tree of another commit, in turns of some 20 ms
 *
 * A shared machine changes its speed from second to second, so that two runs one after the other say little about two
 * commits. In turns within one process both have the same machine; their ratio is printed.
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { ConsumedRecord } from '#streams/client/port.ts';
import { sizeOf } from './size.ts';

const { values } = parseArgs({ options: { beside: { type: 'string' } } });
const EVENTS = sizeOf('BENCH_EVENTS', 250, 20);
const MESSAGES = sizeOf(null, 200, 100);
const ROUNDS = sizeOf('BENCH_ROUNDS', 6, 1);
/** Bytes of one fetch of a processor of all partitions. */
const FETCH_BYTES = 2 * 1024 * 1024;
const DELIVERY_ID = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
/** Rounds in which code is compiled: no part of a ratio. */
const WARM_UP = 2;

/** The records of one fetch. */
type Fetched = { readonly partition: number; readonly records: ConsumedRecord[]; bytes: number };

/** The code of one work tree, with the fetches that it reads. */
type Tree = Awaited<ReturnType<typeof loadTree>> & { readonly fetches: readonly Fetched[] };

const trees = [await treeOf(new URL('..', import.meta.url))];
if (values.beside !== undefined) trees.push(await treeOf(pathToFileURL(`${resolve(values.beside)}/`)));
const messages = trees[0]?.fetches.reduce((sum, { records }) => sum + records.length, 0) ?? 0;
const written = createHash('sha256');
const rounds: (readonly number[])[] = [];
for (let round = 0; round < ROUNDS + WARM_UP; round++) {
  const each = processInTurns(trees, round === 0 ? written : undefined).map((micros) => micros / messages);
  console.log(`round ${round}: ${each.map((micros) => micros.toFixed(2)).join(' and ')} µs a message`);
  if (round >= WARM_UP) rounds.push(each);
}
const [least, own, other] = [
  Math.min(...rounds.map(([micros = 0]) => micros)),
  ...[0, 1].map((tree) => rounds.reduce((sum, each) => sum + (each[tree] ?? 0), 0)),
] as [number, number, number];
console.log(
  `${messages} messages, least ${least.toFixed(2)} µs each, wrote ${written.digest('hex').slice(0, 16)}`,
);
if (values.beside !== undefined) console.log(`${(own / other).toFixed(3)} of the tree beside`);

async function treeOf(root: URL): Promise<Tree> {
  const tree = await loadTree(root);
  return { ...tree, fetches: readAll(tree) };
}

async function loadTree(root: URL) {
  const load = (path: string) => import(new URL(path, root).href);
  const [{ normalizeMessage }, { RecordCollector }, { TOPICS }, { MatchPartition }, { codecs }, matches] =
    (await Promise.all([
      load('libs/ingestion/normalize.ts'),
      load('libs/streams/runtime/processor.ts'),
      load('libs/topics/topics.ts'),
      load('libs/processors/match/match-partition.ts'),
      load('libs/processors/match/testing/partition.ts'),
      load('bench/matches.ts'),
    ])) as [
      typeof import('#ingestion/normalize.ts'),
      typeof import('#streams/runtime/processor.ts'),
      typeof import('#topics/topics.ts'),
      typeof import('#processors/match/match-partition.ts'),
      typeof import('../libs/processors/match/testing/partition.ts'),
      typeof import('./matches.ts'),
    ];
  const { partitions } = TOPICS['normalized-messages'];
  return { normalizeMessage, RecordCollector, MatchPartition, codecs, matches, partitions };
}

function readAll({ normalizeMessage, codecs, matches, partitions }: Awaited<ReturnType<typeof loadTree>>) {
  const { BenchMatch, liveRound } = matches;
  const all: Fetched[] = [];
  const open = new Map<number, Fetched>();
  let offset = 0;
  const live = Array.from(
    { length: EVENTS },
    (_, match) => new BenchMatch(match, MESSAGES, (match * 37) % 900),
  );
  for (const { eventId, ut, message } of liveRound(live)) {
    const context = { origin: 'webhook', deliveryId: DELIVERY_ID, receivedAt: ut * 1_000 + 1_500 } as const;
    const normalized = normalizeMessage(message, context);
    if (normalized.kind !== 'normalized') throw new Error(`a message is ${normalized.kind}`);
    const value = codecs['normalized-messages'].encode(normalized.message);
    const partition = eventId % partitions;
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

/** Returns the cpu time of all messages in each tree, microseconds. `written`: a digest for the output of the first one. */
function processInTurns(trees: readonly Tree[], written?: ReturnType<typeof createHash>): readonly number[] {
  const running = trees.map(({ MatchPartition, codecs, partitions }) =>
    Array.from(
      { length: partitions },
      (_, partition) =>
        new MatchPartition({
          partition,
          codecs,
          topicName: (topic) => topic,
          keepLoadedMs: 900_000,
          maxLoaded: 256,
        }),
    ),
  );
  const micros = trees.map(() => 0);
  const most = Math.max(...trees.map(({ fetches }) => fetches.length));
  for (let turn = 0; turn < most; turn++) {
    for (const [at, { fetches, RecordCollector }] of trees.entries()) {
      const fetched = fetches[turn];
      const processor = running[at]?.[fetched?.partition ?? 0];
      if (fetched === undefined || processor === undefined) continue;
      const collector = new RecordCollector(fetched.partition);
      const before = process.cpuUsage();
      for (const record of fetched.records) processor.process(record, collector);
      processor.flush(collector);
      processor.committed();
      const { user, system } = process.cpuUsage(before);
      micros[at] = (micros[at] ?? 0) + user + system;
      if (at > 0) continue;
      for (const { topic, key, value } of collector.records)
        written?.update(`${topic} ${key} `).update(value ?? '');
    }
  }
  for (const partition of running.flat()) partition.close();
  return micros;
}
