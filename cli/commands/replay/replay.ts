import { readRules } from '#service/competition-rules.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { type ConsumedRecord, partitionOfKey, type StreamClient } from '#streams/client/port.ts';
import { silentLogger } from '#streams/log.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { readRange } from '#streams/read/read-range.ts';
import { machineClock } from '#timing/clock.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import type { OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import { REPLAY_TOPICS, ReplayEngine, type ReplayInput, type ReplayOutput } from './engine.ts';
import { RawInputs } from './raw-inputs.ts';
import { batchesOf, partitionRanges, readMerged } from './source.ts';
import { copyInputs, matchPartitions, prepareTarget, requireWritten, setPositions } from './target.ts';

/** A replay: its source, range and target. */
export type ReplayOptions = {
  readonly source: TopicCluster;
  readonly target: OpenCluster;
  readonly topic: 'normalized-messages' | 'raw-messages';
  /** The range of the log, Unix milliseconds; null is its start or its current end. */
  readonly from: number | null;
  readonly to: number | null;
  /** Factor for the gaps between records; null keeps no gaps. */
  readonly gaps: number | null;
  /** Whether existing topics of the target are deleted, and whether also those with records. */
  readonly replace: boolean;
  readonly yes: boolean;
  /** Partitions of the target's topics of a match; undefined takes the number of the source. */
  readonly partitions: number | undefined;
  /** Whether clients, their tokens and the poller's checkpoints are copied. */
  readonly forSwitch: boolean;
  readonly rulesDir: string;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
};

/**
 * The size of a replay; `seconds` from the first record read to the last one acknowledged. `unreadable`: number of raw records that
 * nobody can read, which are left out (an unreadable normalized message becomes a dead letter).
 */
export type Replayed = { readonly records: number; readonly unreadable: number; readonly seconds: number };

const CLIENT = 'touchline-replay';
/** Number of publishers: each sends one request at a time. Each owns partitions, which keeps their order. */
const PUBLISHERS = 4;
const READ_BACK_BYTES = 4 * 1024 * 1024;
/** Exceeds the output of a batch, and the queue is empty before the next batch is added. */
const QUEUE_BYTES = 1024 * 1024 * 1024;

/**
 * Replays a range into the target. Resolves when all records are acknowledged and checked, and the positions of the processors
 * are set. Throws `CommandError` when the target is in use or `signal` stops the replay, and the errors of libs/streams and
 * libs/topics.
 */
export async function replayInto(options: ReplayOptions): Promise<Replayed> {
  const { source, target, onProgress } = options;
  const rulesOf = readRules(options.rulesDir);
  onProgress('preparing the target');
  await prepareTarget(source, target, options);
  const brokers = source.brokers;
  const client = openStreamClient({ brokers, clientId: CLIENT, log: silentLogger });
  const open = () =>
    openPublisher({ brokers, clientId: CLIENT, log: silentLogger, maxQueueBytes: QUEUE_BYTES });
  const publishers = await Promise.all(Array.from({ length: PUBLISHERS }, open));
  const prefix = target.prefix;
  const codecs = await target.registry.codecs(REPLAY_TOPICS);
  const writer = new ReplayWriter(publishers);
  const engine = new ReplayEngine({
    prefix,
    codecs,
    rulesOf,
    partitions: options.partitions ?? (await matchPartitions(source)),
    readBack: (topic, partition) => writer.readBack(client, topic, partition),
  });
  try {
    const copied = await copyInputs(source, target, publishers[0] as Publisher, options.forSwitch);
    const replayed = await run(options, { client, engine, writer });
    const expected = new Map(copied);
    for (const [topic, count] of engine.counts()) expected.set(topic, (expected.get(topic) ?? 0) + count);
    onProgress('checking what was written');
    await requireWritten(target, expected);
    await setPositions(target);
    return replayed;
  } finally {
    engine.close();
    await Promise.all(publishers.map((publisher) => publisher.close()));
    await client.close();
  }
}

type Running = {
  readonly client: StreamClient;
  readonly engine: ReplayEngine;
  readonly writer: ReplayWriter;
};

async function run(options: ReplayOptions, { client, engine, writer }: Running): Promise<Replayed> {
  const { source, target, topic, from, to, gaps, signal, onProgress } = options;
  const name = topicName(source.prefix, topic);
  const ranges = await partitionRanges({ brokers: source.brokers, topic: name, from, to });
  const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  const inputs = await inputReader(options);
  const startedAt = performance.now();
  let records = 0;
  const show = (): void => onProgress(progressLine(records, total, (performance.now() - startedAt) / 1_000));
  for await (const batch of batchesOf(readMerged(client, name, ranges), gaps)) {
    const earlyMs = startedAt + batch.dueMs - performance.now();
    if (earlyMs > 0) await machineClock.sleep(earlyMs, signal);
    if (signal.aborted) break;
    // The broker acknowledges the previous batch meanwhile.
    const output = await engine.process(await inputs.of(batch.records));
    await writer.write(output);
    records += batch.records.length;
    show();
  }
  await writer.settled();
  if (signal.aborted) {
    throw new CommandError(
      `stopped after ${records} of ${total} records: ${target.prefix} is not complete, replay again with --replace --yes`,
    );
  }
  return { records, unreadable: inputs.unreadable(), seconds: (performance.now() - startedAt) / 1_000 };
}

/** Converts records of the source into input of the engine. `unreadable`: the number of records that it left out. */
type InputReader = {
  readonly of: (records: readonly ReadRecord[]) => Promise<readonly ReplayInput[]>;
  readonly unreadable: () => number;
};

/** Returns the conversion for a source: it normalizes raw messages, or distributes records over other partitions. */
async function inputReader(options: ReplayOptions): Promise<InputReader> {
  const { source, target, topic, partitions } = options;
  if (topic === 'raw-messages') {
    const raw = new RawInputs({
      topic: topicName(source.prefix, topic),
      decoder: target.registry.decoder(topic),
      codec: await target.registry.codec('normalized-messages'),
      partitions: partitions ?? (await matchPartitions(source)),
    });
    return { of: (records) => raw.of(records), unreadable: () => raw.unreadable };
  }
  const of = (records: readonly ReadRecord[]): readonly ReplayInput[] =>
    partitions === undefined
      ? records
      : records.map((record) =>
          record.key === null ? record : { ...record, partition: partitionOfKey(record.key, partitions) },
        );
  return { of: async (records) => of(records), unreadable: () => 0 };
}

/** Publishes batches while the next one is processed, and reads back published records. */
class ReplayWriter {
  readonly #publishers: readonly Publisher[];
  #publishing: Promise<unknown> = Promise.resolve();

  constructor(publishers: readonly Publisher[]) {
    this.#publishers = publishers;
  }

  /** Publishes records once the previous ones are acknowledged. Rejects with `PublishError`, also for the previous ones. */
  async write(records: readonly ReplayOutput[]): Promise<void> {
    await this.#publishing;
    const shares = Map.groupBy(records, ({ partition }) => partition % this.#publishers.length);
    this.#publishing = Promise.all(
      [...shares].map(([at, share]) => (this.#publishers[at] as Publisher).publish(share)),
    );
    // Awaited by the next call, which reports its failure.
    this.#publishing.catch(() => {});
  }

  /** Resolves when all records are acknowledged. Rejects with `PublishError`. */
  async settled(): Promise<void> {
    await this.#publishing;
  }

  async *readBack(
    client: StreamClient,
    topic: string,
    partition: number,
  ): AsyncGenerator<readonly ConsumedRecord[]> {
    await this.#publishing;
    const [log = { start: 0, end: 0 }] = await client.logBounds([{ topic, partition }]);
    const range = { topic, partition, ...log, maxBytes: READ_BACK_BYTES };
    for await (const { records } of readRange(client, range)) yield records;
  }
}

const WIDTH = 24;

/** Returns the progress as one line: a bar, records, records per second, and the estimated time left. */
function progressLine(records: number, total: number, seconds: number): string {
  const share = total === 0 ? 1 : records / total;
  const filled = Math.floor(share * WIDTH);
  const bar = `${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}`;
  const rate = seconds > 0 ? records / seconds : 0;
  const left = rate > 0 ? `, ${Math.ceil((total - records) / rate)} s left` : '';
  return `replay: [${bar}] ${Math.floor(share * 100)} %, ${records} of ${total} records, ${Math.round(rate)}/s${left}`;
}
