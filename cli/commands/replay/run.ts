import { z } from 'zod';
import { endProgress, showProgress } from '#embedded/progress.ts';
import { OWN_RULES, type RulesOf, readRules } from '#service/competition-rules.ts';
import { loadConfig, rulesSettings } from '#service/config.ts';
import { openStreamClient } from '#streams/client/client.ts';
import { type ConsumedRecord, partitionOfKey, type StreamClient } from '#streams/client/port.ts';
import { silentLogger } from '#streams/log.ts';
import { openPublisher, type Publisher } from '#streams/publish/publisher.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { readRange } from '#streams/read/read-range.ts';
import { machineClock } from '#timing/clock.ts';
import { topicName } from '#topics/topics.ts';
import { findCluster, type OpenCluster, openCluster, platformName, requireTopics } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { printLine, untilStopped } from '../../terminal.ts';
import type { command } from './command.ts';
import { REPLAY_TOPICS, ReplayEngine, type ReplayInput, type ReplayOutput } from './engine.ts';
import { RawInputs } from './raw-inputs.ts';
import { batchesOf, partitionRanges, readMerged } from './source.ts';
import {
  copyInto,
  copyTopics,
  INPUTS,
  matchPartitions,
  OPERATIONS,
  prepareTarget,
  requireWritten,
  setPositions,
} from './target.ts';

const settings = z.object(rulesSettings);

type ReplayOptions = GivenTo<typeof command>[0];

export async function run(...[options]: GivenTo<typeof command>): Promise<number> {
  const { into, copy, from, to, gaps, partitions, replace, yes, forSwitch } = options;
  if (yes && !replace) throw new UsageError('--yes goes with --replace');
  const isOfReplay = [from, to, gaps, partitions, forSwitch].some((one) => one !== undefined);
  if (copy && (isOfReplay || options.source === 'raw'))
    throw new UsageError('--copy goes with --into, --replace and --yes alone');
  if (from !== undefined && to !== undefined && from >= to)
    throw new UsageError('--from must be before --to');
  const topic = SOURCES[options.source];
  const source = findCluster(process.env);
  const { RULES_DIR } = loadConfig(settings, process.env);
  const target = openCluster({ ...source, prefix: into });
  if (into === source.prefix) throw new UsageError(`${into} is the prefix of the source: name another one`);
  if (copy) {
    const count = await copyInto(source, target, options);
    printLine(`${platformName(target)}: ${count} records copied from ${platformName(source)}`);
    return 0;
  }
  await requireTopics(source, [topic]);
  const rulesOf = readRules(RULES_DIR || OWN_RULES);
  const onProgress = showProgress(process.stderr);
  const { records, unreadable, seconds } = await untilStopped((signal) =>
    replayInto({ source, target, topic, rulesOf, signal, onProgress }, options),
  ).finally(() => endProgress(process.stderr));
  const rate = Math.round(records / Math.max(seconds, 0.001));
  printLine(
    `${records} records of ${topic} replayed into ${into} in ${seconds.toFixed(1)} s, ${rate} a second`,
  );
  if (unreadable === 0) return 0;
  const lost = unreadable === 1 ? 'a record' : `${unreadable} records`;
  throw new CommandError(
    `${into} lacks ${lost} of ${topic} that nobody can read, named above; everything else is replayed. ` +
      'Where their messages matter, replay normalized-messages: replay again without --source raw, with --replace --yes',
  );
}

/** Topics by the choices of --source. */
const SOURCES = { normalized: 'normalized-messages', raw: 'raw-messages' } as const;

/** A replay: its source, target and rules. */
type Replay = {
  readonly source: OpenCluster;
  readonly target: OpenCluster;
  readonly topic: (typeof SOURCES)[keyof typeof SOURCES];
  readonly rulesOf: RulesOf;
  readonly signal: AbortSignal;
  readonly onProgress: (line: string) => void;
};

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
async function replayInto(replay: Replay, options: ReplayOptions) {
  const { source, target, rulesOf, onProgress } = replay;
  const { brokers } = source;
  onProgress('preparing the target');
  const partitions = options.partitions ?? (await matchPartitions(source));
  await prepareTarget(target, { ...options, partitions });
  const client = openStreamClient({ brokers, clientId: CLIENT, log: silentLogger });
  const open = () =>
    openPublisher({ brokers, clientId: CLIENT, log: silentLogger, maxQueueBytes: QUEUE_BYTES });
  const publishers = await Promise.all(Array.from({ length: PUBLISHERS }, open));
  const writer = new ReplayWriter(publishers);
  const engine = new ReplayEngine({
    prefix: target.prefix,
    codecs: await target.registry.codecs(REPLAY_TOPICS),
    rulesOf,
    partitions,
    readBack: (topic, partition) => writer.readBack(client, topic, partition),
  });
  try {
    const inputTopics = options.forSwitch ? [...INPUTS, ...OPERATIONS] : INPUTS;
    // Before the end of the range is looked up: the poller may read messages twice, but must not leave any out.
    const copied = await copyTopics(source, target, publishers[0] as Publisher, inputTopics);
    const inputs = await inputReader(replay, options.partitions, partitions);
    const replayed = await replayRange(replay, options, client, engine, writer, inputs);
    const expected = new Map(copied);
    for (const [topic, count] of engine.counts) expected.set(topic, (expected.get(topic) ?? 0) + count);
    onProgress('checking what was written');
    await requireWritten(target, expected);
    await setPositions(target);
    return { ...replayed, unreadable: inputs.unreadable };
  } finally {
    engine.close();
    await Promise.all(publishers.map((publisher) => publisher.close()));
    await client.close();
  }
}

async function replayRange(
  { source, target, topic, signal, onProgress }: Replay,
  { from, to, gaps }: ReplayOptions,
  client: StreamClient,
  engine: ReplayEngine,
  writer: ReplayWriter,
  inputs: InputReader,
) {
  const name = topicName(source.prefix, topic);
  const ranges = await partitionRanges({ brokers: source.brokers, topic: name, from, to });
  const total = ranges.reduce((sum, { start, end }) => sum + end - start, 0);
  const startedAt = performance.now();
  const elapsed = () => (performance.now() - startedAt) / 1_000;
  let records = 0;
  for await (const batch of batchesOf(readMerged(client, name, ranges), gaps)) {
    const earlyMs = startedAt + batch.dueMs - performance.now();
    if (earlyMs > 0) await machineClock.sleep(earlyMs, signal);
    if (signal.aborted) break;
    // The broker acknowledges the previous batch meanwhile.
    await writer.write(await engine.process(await inputs.of(batch.records)));
    records += batch.records.length;
    onProgress(progressLine(records, total, elapsed()));
  }
  await writer.settled();
  if (!signal.aborted) return { records, seconds: elapsed() };
  throw new CommandError(
    `stopped after ${records} of ${total} records: ${target.prefix} is not complete, replay again with --replace --yes`,
  );
}

/** Converts records of the source into input of the engine. `unreadable`: the number of records that it left out. */
type InputReader = {
  readonly unreadable: number;
  of(records: readonly ReadRecord[]): Promise<readonly ReplayInput[]>;
};

/** Returns the conversion for a source: it normalizes raw messages, or distributes records over other partitions where some are `wanted`. */
async function inputReader(
  { source, target, topic }: Replay,
  wanted: number | undefined,
  partitions: number,
): Promise<InputReader> {
  if (topic === 'raw-messages') {
    return new RawInputs({
      topic: topicName(source.prefix, topic),
      decoder: target.registry.decoder(topic),
      codec: await target.registry.codec('normalized-messages'),
      partitions,
    });
  }
  const moved = (record: ReadRecord): ReadRecord =>
    record.key === null ? record : { ...record, partition: partitionOfKey(record.key, partitions) };
  return { unreadable: 0, of: async (records) => (wanted === undefined ? records : records.map(moved)) };
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
