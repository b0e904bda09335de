import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import type { FeedHealth, MatchState, TradingHalt } from '#records/types.ts';
import { partitionKey, type TopicPartition } from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { findTopics, topicPartitions } from '#topics/admin.ts';
import { follow } from '#topics/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { MatchReader } from '../../../libs/reader/match-reader.ts';
import { findClusterWith, type OpenCluster } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { followClosing } from '../../followed-topics.ts';
import { printLineAndDrain, untilStopped } from '../../terminal.ts';
import { printPermissions } from '../../trading-permissions.ts';
import { jsonText } from '../../values.ts';
import type { command } from './command.ts';
import { formatter } from './format.ts';

const DEFAULT_FORMAT = '{time}  {key}  {summary}';

type TailRequest = GivenTo<typeof command>[1] & { readonly topics: readonly TopicName[] };

export async function run(...[topics, options]: GivenTo<typeof command>): Promise<number> {
  if ((options.offset ?? -1) >= 0 && options.partition === undefined)
    throw new UsageError('--offset goes with --partition: each partition has its own offsets');
  const topic = topics.length > 1 ? '{topic}  ' : '';
  const line = formatter(options.format ?? `${topic}${DEFAULT_FORMAT}`);
  const cluster = await findClusterWith(topics);
  return untilStopped((signal) => showRecords(cluster, { ...options, topics, line }, signal));
}

/** Prints records until `stopped`, or the end of the request. Returns the exit code. */
async function showRecords(
  cluster: OpenCluster,
  request: TailRequest & { readonly line: ReturnType<typeof formatter> },
  stopped: AbortSignal,
): Promise<number> {
  const { topics, fromBeginning = false, exitAtEnd = false, json, key, line } = request;
  const from = await startOf(cluster, request);
  const reader = (await showsTrading(cluster, request))
    ? new MatchReader<MatchState, FeedHealth, TradingHalt>()
    : null;
  const states = topicName(cluster.prefix, 'match-state');
  reader?.assign(Array(await topicPartitions(cluster.brokers, states)).keys());
  const ended = new AbortController();
  const signal = AbortSignal.any([stopped, ended.signal]);
  const caughtUp = Promise.withResolvers<void>();
  let shown = 0;
  let undecodable = 0;

  const isWanted = ({ partition, key: bytes }: ReadRecord): boolean => {
    if (request.partition !== undefined && partition !== request.partition) return false;
    const name = bytes?.toString() ?? '';
    return key === undefined || name === key || name.startsWith(`${key}/`);
  };
  const count = (): void => {
    shown += 1;
    if (shown >= (request.limit ?? Number.POSITIVE_INFINITY)) ended.abort();
  };

  const printing =
    reader &&
    caughtUp.promise
      .then(() => followClosing(cluster, reader, signal))
      .then(() => printPermissions(reader, signal));
  // Awaited below. Ends the command, because without feed health and halts it must not show any trading permission.
  printing?.catch(() => ended.abort());
  await follow(topics, cluster, {
    from,
    otherwise: fromBeginning ? 'beginning' : 'end',
    signal,
    isWanted,
    onUnreadable({ partition, offset, error }) {
      if (signal.aborted) return;
      undecodable += 1;
      process.stderr.write(`partition ${partition}, offset ${offset}: ${error.message}\n`);
      count();
    },
    async onRecord(record) {
      const { topic, key: name, value, partition } = record;
      if (value === null && json) return;
      // This command reads no changes beside the states.
      if (topic === 'match-state') reader?.applyState(partition, Number(name), value);
      await printLineAndDrain(json ? jsonText(value) : line(record));
      count();
    },
    ...(reader !== null && {
      onUpToDate({ topic, partition }: TopicPartition, at: number) {
        if (topic !== states) return;
        reader.caughtUp(partition);
        reader.upToDate(partition, at);
      },
    }),
    onCaughtUp: () => {
      caughtUp.resolve();
      if (exitAtEnd) ended.abort();
    },
  });
  caughtUp.resolve();
  ended.abort();
  await printing;
  // Only a topic that was read completely proves that the key is unknown.
  if (key !== undefined && shown === 0 && exitAtEnd && fromBeginning && !stopped.aborted)
    throw new CommandError(`${key} is unknown here: no record of ${topics.join(' or ')} has it as its key`);
  return undecodable === 0 ? 0 : 1;
}

/** Whether to print trading permissions: not beside JSON or a given format, nor when the command ends by itself. */
async function showsTrading(
  cluster: OpenCluster,
  { topics, json, format, exitAtEnd }: TailRequest,
): Promise<boolean> {
  if (!topics.includes('match-state') || json || format !== undefined || exitAtEnd) return false;
  const present = await findTopics(cluster);
  return present.has('feed-health') && present.has('trading-halts');
}

/** Returns the first offset of partitions by `partitionKey`; none for the beginning and the end. Throws `CommandError`. */
async function startOf(
  { brokers, prefix }: OpenCluster,
  { topics, since, offset: wanted, partition }: TailRequest,
): Promise<Map<string, number>> {
  const offsets = new Map<string, number>();
  for (const topic of topics.map((one) => topicName(prefix, one))) {
    const bounds = await topicBounds({ brokers, clientId: 'touchline-tail' }, [topic]);
    if (partition !== undefined && !bounds.some((one) => one.partition === partition))
      throw new CommandError(`${topic} has partitions 0 to ${bounds.length - 1}, not ${partition}`);
    if (since !== undefined) {
      for (const [key, offset] of await offsetsAt({ brokers, topic, time: since })) offsets.set(key, offset);
    }
    if (wanted === undefined) continue;
    for (const { partition: at, start, end } of bounds) {
      if (partition !== undefined && partition !== at) continue;
      if (wanted > end) throw new CommandError(`${topic}-${at} ends at ${end}, before offset ${wanted}`);
      const offset = wanted < 0 ? end + wanted : wanted;
      offsets.set(partitionKey({ topic, partition: at }), Math.max(start, offset));
    }
  }
  return offsets;
}
