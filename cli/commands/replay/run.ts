import { z } from 'zod';
import { endProgress, showProgress } from '#embedded/progress.ts';
import { OWN_RULES, readRules } from '#service/competition-rules.ts';
import { loadConfig, rulesSettings } from '#service/config.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { type ConsumedRecord, partitionOfKey, type StreamClient } from '#streams/client/port.ts';
import { silentLogger } from '#streams/log.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { readRange } from '#streams/read/read-range.ts';
import { machineClock } from '#timing/clock.ts';
import { topicPartitions } from '#topics/admin.ts';
import { topicName } from '#topics/topics.ts';
import { findCluster, type OpenCluster, openCluster, platformName, requireTopics } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import type { command } from './command.ts';
import { REPLAY_TOPICS, type ReplayOutput, replayEngine } from './engine.ts';
import { type InputReader, rawInputs } from './raw-inputs.ts';
import { batchesOf, partitionRanges, readMerged } from './source.ts';
import {
  copyInto,
  copyTopics,
  INPUTS,
  OPERATIONS,
  prepareTarget,
  requireWritten,
  setPositions,
} from './target.ts';

const SOURCES = { normalized: 'normalized-messages', raw: 'raw-messages' } as const;

type ReplayOptions = GivenTo<typeof command>[0];

export async function run(...[options]: GivenTo<typeof command>): Promise<number> {
  const { into, from, to } = options;
  if (options.yes && !options.replace) throw new UsageError('--yes goes with --replace');
  if (from !== undefined && to !== undefined && from >= to)
    throw new UsageError('--from must be before --to');
  const source = findCluster(process.env);
  if (into === source.prefix) throw new UsageError(`${into} is the prefix of the source: name another one`);
  const target = openCluster({ ...source, prefix: into });
  if (options.copy) {
    const count = await copyInto(source, target, options);
    printLine(`${platformName(target)}: ${count} records copied from ${platformName(source)}`);
    return 0;
  }
  const topic = SOURCES[options.source];
  await requireTopics(source, [topic]);
  const { records, unreadable, seconds } = await untilStopped((signal) =>
    replayInto(source, target, options, signal),
  ).finally(() => endProgress(process.stderr));
  printLine(`${records} records of ${topic} replayed into ${into} in ${seconds.toFixed(1)} s`);
  if (unreadable === 0) return 0;
  const lost = unreadable === 1 ? 'a record' : `${unreadable} records`;
  throw new CommandError(
    `${into} lacks ${lost} of ${topic} that nobody can read, named above; everything else is replayed. ` +
      'Where their messages matter, replay normalized-messages: replay again without --source raw, with --replace --yes',
  );
}

const CLIENT = 'touchline-replay';
/** Number of publishers: each sends one request at a time. Each owns partitions, which keeps their order. */
const PUBLISHERS = 4;
const READ_BACK_BYTES = 4 * 1024 * 1024;
/** Exceeds the output of a batch, and the queue is empty before the next batch is added. */
const QUEUE_BYTES = 1024 * 1024 * 1024;

/**
 * Replays a range into the target. Resolves when all records are acknowledged and checked, and the positions of the processors
 * are set: with the number of records, that of raw records which nobody can read and which are left out (an unreadable normalized
 * message becomes a dead letter), and the seconds from the first record read to the last one acknowledged. Throws `CommandError`
 * when the target is in use or `signal` stops the replay, and the errors of libs/streams and libs/topics.
 */
async function replayInto(
  source: OpenCluster,
  target: OpenCluster,
  options: ReplayOptions,
  signal: AbortSignal,
) {
  const { brokers } = source;
  const onProgress = showProgress(process.stderr);
  const rulesOf = readRules(loadConfig(z.object(rulesSettings), process.env).RULES_DIR || OWN_RULES);
  onProgress('preparing the target');
  const normalized = topicName(source.prefix, 'normalized-messages');
  const partitions = options.partitions ?? (await topicPartitions(brokers, normalized));
  await prepareTarget(target, options, partitions);
  const client = openStreamClient({ brokers, clientId: CLIENT, log: silentLogger });
  const open = () =>
    openPublisher({ brokers, clientId: CLIENT, log: silentLogger, maxQueueBytes: QUEUE_BYTES });
  const publishers = await Promise.all(Array.from({ length: PUBLISHERS }, open));
  const writer = replayWriter(client, publishers);
  const engine = replayEngine({
    prefix: target.prefix,
    codecs: await target.registry.codecs(REPLAY_TOPICS),
    rulesOf,
    partitions,
    readBack: writer.readBack,
  });
  try {
    const inputTopics = options.forSwitch ? [...INPUTS, ...OPERATIONS] : INPUTS;
    // Before the end of the range is looked up: the poller may read messages twice, but must not leave any out.
    const copied = await copyTopics(source, target, publishers[0] as Publisher, inputTopics);
    const name = topicName(source.prefix, SOURCES[options.source]);
    const ranges = await partitionRanges(brokers, name, options);
    const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
    const inputs = await inputReader(source, target, options, partitions);
    const startedAt = performance.now();
    const elapsed = () => (performance.now() - startedAt) / 1_000;
    let records = 0;
    for await (const batch of batchesOf(readMerged(client, name, ranges), options.gaps)) {
      const earlyMs = startedAt + batch.dueMs - performance.now();
      if (earlyMs > 0) await machineClock.sleep(earlyMs, signal);
      if (signal.aborted) break;
      // The broker acknowledges the previous batch meanwhile.
      await writer.write(await engine.process(await inputs.of(batch.records)));
      records += batch.records.length;
      onProgress(progressLine(records, total, elapsed()));
    }
    await writer.settled();
    const seconds = elapsed();
    if (signal.aborted)
      throw new CommandError(
        `stopped after ${records} of ${total} records: replay again with --replace --yes`,
      );
    const expected = new Map(copied);
    for (const [topic, count] of engine.counts) expected.set(topic, (expected.get(topic) ?? 0) + count);
    onProgress('checking what was written');
    await requireWritten(target, expected);
    await setPositions(target);
    return { records, seconds, unreadable: inputs.unreadable };
  } finally {
    engine.close();
    await Promise.all(publishers.map((publisher) => publisher.close()));
    await client.close();
  }
}

/** Returns the conversion for a source: it normalizes raw messages, or distributes records over the wanted number of partitions. */
async function inputReader(
  source: OpenCluster,
  target: OpenCluster,
  options: ReplayOptions,
  partitions: number,
): Promise<InputReader> {
  if (options.source === 'raw')
    return rawInputs({
      topic: topicName(source.prefix, 'raw-messages'),
      decoder: target.registry.decoder('raw-messages'),
      codec: await target.registry.codec('normalized-messages'),
      partitions,
    });
  const moved = (record: ReadRecord): ReadRecord =>
    record.key === null ? record : { ...record, partition: partitionOfKey(record.key, partitions) };
  const isMoved = options.partitions !== undefined;
  return { unreadable: 0, of: async (records) => (isMoved ? records.map(moved) : records) };
}

/** Publishes batches while the next one is processed, and reads back published records. */
function replayWriter(client: StreamClient, publishers: readonly Publisher[]) {
  let publishing: Promise<unknown> = Promise.resolve();
  return {
    /** Publishes records once the previous ones are acknowledged. Rejects with `PublishError`, also for the previous ones. */
    async write(records: readonly ReplayOutput[]): Promise<void> {
      await publishing;
      const shares = Map.groupBy(records, ({ partition }) => partition % publishers.length);
      publishing = Promise.all(
        [...shares].map(([at, share]) => (publishers[at] as Publisher).publish(share)),
      );
      // Awaited by the next call, which reports its failure.
      publishing.catch(() => {});
    },
    settled: () => publishing,
    async *readBack(topic: string, partition: number): AsyncGenerator<readonly ConsumedRecord[]> {
      await publishing;
      const [log = { start: 0, end: 0 }] = await client.logBounds([{ topic, partition }]);
      const range = { topic, partition, ...log, maxBytes: READ_BACK_BYTES };
      for await (const { records } of readRange(client, range)) yield records;
    },
  };
}

function progressLine(records: number, total: number, seconds: number): string {
  const share = total === 0 ? 1 : records / total;
  const rate = records / Math.max(seconds, 0.001);
  const left = Math.ceil((total - records) / rate);
  return `replay: ${Math.floor(share * 100)} %, ${records} of ${total} records, ${Math.round(rate)}/s, ${left} s left`;
}
