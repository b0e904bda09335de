import { topicBounds } from '#cluster/logs.ts';
import { readRules } from '#service/competition-rules.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { type ConsumedRecord, partitionOfKey, type StreamClient } from '#streams/client/port.ts';
import { silentLogger } from '#streams/log.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { readRange } from '#streams/read/read-range.ts';
import type { TopicCluster } from '#topics/follow.ts';
import { topicName } from '#topics/topics.ts';
import type { OpenCluster } from '../../cluster.ts';
import { CommandError } from '../../command.ts';
import { REPLAY_TOPICS, ReplayEngine, type ReplayInput, type ReplayOutput } from './engine.ts';
import { RawInputs } from './raw-inputs.ts';
import { batchesOf, readMerged } from './source.ts';
import { copyInputs, matchPartitions, prepareTarget, requireWritten, setPositions } from './target.ts';

/** A replay: its source and its target. */
export type ReplayOptions = {
  readonly source: TopicCluster;
  readonly target: OpenCluster;
  readonly topic: 'normalized-messages' | 'raw-messages';
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

/** The size of a replay; `unreadable`: raw records that nobody can read, which are left out. */
export type Replayed = { readonly records: number; readonly unreadable: number; readonly seconds: number };

const CLIENT = 'touchline-replay';
/** Number of publishers: each sends one request at a time. Each owns partitions, which keeps their order. */
const PUBLISHERS = 4;
const READ_BACK_BYTES = 4 * 1024 * 1024;
/** Exceeds the output of a batch, and the queue is empty before the next batch is added. */
const QUEUE_BYTES = 1024 * 1024 * 1024;

/**
 * Replays the log up to its current end. Resolves when all records are acknowledged and checked, and the positions of the processors are
 * set. Throws `CommandError` when the target is in use or `signal` stops the replay, and the errors of libs/streams and libs/topics.
 */
export async function replayInto(options: ReplayOptions): Promise<Replayed> {
  const { source, target, onProgress } = options;
  const rulesOf = readRules(options.rulesDir);
  onProgress('preparing the target');
  const partitions = options.partitions ?? (await matchPartitions(source));
  await prepareTarget(target, { ...options, partitions });
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
    partitions,
    readBack: (topic, partition) => writer.readBack(client, topic, partition),
  });
  try {
    const copied = await copyInputs(source, target, publishers[0] as Publisher, options.forSwitch);
    const replayed = await run(options, { client, engine, writer, partitions });
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
  /** Partitions of the target's topics of a match. */
  readonly partitions: number;
};

async function run(
  options: ReplayOptions,
  { client, engine, writer, partitions }: Running,
): Promise<Replayed> {
  const { source, target, topic, signal, onProgress } = options;
  const { brokers, prefix } = source;
  const name = topicName(prefix, topic);
  const logs = await topicBounds({ brokers, clientId: CLIENT }, [name]);
  const total = logs.reduce((sum, { start, end }) => sum + end - start, 0);
  const { registry } = target;
  const codec = await registry.codec('normalized-messages');
  const decoder = registry.decoder('raw-messages');
  const raw = topic === 'raw-messages' ? new RawInputs({ topic: name, decoder, codec, partitions }) : null;
  const startedAt = performance.now();
  let records = 0;
  for await (const batch of batchesOf(readMerged(client, logs))) {
    if (signal.aborted) break;
    const inputs = raw === null ? distributed(batch, options.partitions) : await raw.of(batch);
    // The broker acknowledges the previous batch meanwhile.
    await writer.write(await engine.process(inputs));
    records += batch.length;
    onProgress(progressLine(records, total, (performance.now() - startedAt) / 1_000));
  }
  await writer.settled();
  if (signal.aborted) {
    throw new CommandError(
      `stopped after ${records} of ${total} records: ${target.prefix} is not complete, replay again with --replace --yes`,
    );
  }
  return { records, unreadable: raw?.unreadable ?? 0, seconds: (performance.now() - startedAt) / 1_000 };
}

/** Returns records in the partitions of their keys; undefined keeps theirs. */
function distributed(records: readonly ReadRecord[], partitions: number | undefined): readonly ReplayInput[] {
  if (partitions === undefined) return records;
  return records.map((record) =>
    record.key === null ? record : { ...record, partition: partitionOfKey(record.key, partitions) },
  );
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

/** Returns the progress as one line: records, records per second, and the estimated time left. */
function progressLine(records: number, total: number, seconds: number): string {
  const share = total === 0 ? 1 : records / total;
  const rate = seconds > 0 ? records / seconds : 0;
  const left = rate > 0 ? `, ${Math.ceil((total - records) / rate)} s left` : '';
  return `replay: ${Math.floor(share * 100)} %, ${records} of ${total} records, ${Math.round(rate)}/s${left}`;
}
