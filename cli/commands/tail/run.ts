import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import { partitionKey } from '#streams/client/port.ts';
import type { ReadRecord } from '#streams/read/follow.ts';
import { follow } from '#topics/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { findClusterWith, type OpenCluster } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { summaryOf } from '../../summaries.ts';
import { printLineAndDrain, untilStopped } from '../../terminal.ts';
import { escapeLine, jsonText } from '../../values.ts';
import type { command } from './command.ts';

type TailRequest = GivenTo<typeof command>[1] & { readonly topics: readonly TopicName[] };

export async function run(...[topics, options]: GivenTo<typeof command>): Promise<number> {
  if ((options.offset ?? -1) >= 0 && options.partition === undefined)
    throw new UsageError('--offset goes with --partition: each partition has its own offsets');
  const cluster = await findClusterWith(topics);
  return untilStopped((signal) => showRecords(cluster, { ...options, topics }, signal));
}

async function showRecords(
  cluster: OpenCluster,
  request: TailRequest,
  stopped: AbortSignal,
): Promise<number> {
  const { topics, fromBeginning = false, exitAtEnd = false, json, key } = request;
  const from = await startOf(cluster, request);
  const ended = new AbortController();
  const signal = AbortSignal.any([stopped, ended.signal]);
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
    async onRecord({ topic, timestamp, key, value }) {
      if (value === null && json) return;
      const summary = value === null ? '(no value: the key is deleted)' : summaryOf(topic, value as never);
      const line = `${new Date(timestamp).toISOString()}  ${key}  ${summary}`;
      const ofTopic = topics.length > 1 ? `${topic}  ` : '';
      await printLineAndDrain(json ? jsonText(value) : ofTopic + escapeLine(line));
      count();
    },
    onCaughtUp: () => {
      if (exitAtEnd) ended.abort();
    },
  });
  // Only a topic that was read completely proves that the key is unknown.
  if (key !== undefined && shown === 0 && exitAtEnd && fromBeginning && !stopped.aborted)
    throw new CommandError(`${key} is unknown here: no record of ${topics.join(' or ')} has it as its key`);
  return undecodable === 0 ? 0 : 1;
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
