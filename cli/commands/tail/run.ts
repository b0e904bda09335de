import { setTimeout as delay } from 'node:timers/promises';
import { offsetsAt, topicBounds } from '#cluster/logs.ts';
import { partitionKey } from '#streams/client/port.ts';
import { follow, type ReadRecord } from '#streams/read/follow.ts';
import { findTopics } from '#topics/admin.ts';
import { DecodeError } from '#topics/errors.ts';
import type { MatchState } from '#topics/generated/types.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { findCluster, type OpenCluster, requireTopics } from '../../cluster.ts';
import { type ArgumentsOf, CommandError } from '../../command.ts';
import { printLineAndDrain, untilStopped } from '../../terminal.ts';
import { decodersOf } from '../../topic-reads.ts';
import { escapeLine, jsonText } from '../../values.ts';
import { Health } from '../status/followed.ts';
import { parseTail, type TailRequest } from './arguments.ts';
import type { command } from './command.ts';
import { formatter } from './format.ts';
import { Permissions } from './permissions.ts';

const PERMISSIONS_EVERY_MS = 100;
const FORMAT = '{time}  {key}  {summary}';

export async function run(given: ArgumentsOf<typeof command>): Promise<number> {
  const request = parseTail(given, Date.now());
  const several = request.topics.length > 1 ? '{topic}  ' : '';
  const format = formatter(request.format ?? `${several}${FORMAT}`);
  const cluster = findCluster(process.env);
  await requireTopics(cluster, request.topics);
  return untilStopped((signal) => showRecords(cluster, { ...request, line: format }, signal));
}

/** Shows records until `asked`, or the end that the request names; gives the exit code. */
async function showRecords(
  cluster: OpenCluster,
  request: TailRequest & { readonly line: ReturnType<typeof formatter> },
  asked: AbortSignal,
): Promise<number> {
  const { topics, untilEnd, json, key, limit, line } = request;
  const decoders = decodersOf(cluster, topics);
  const from = await startOf(cluster, request);
  const permissions = (await showsTrading(cluster, request)) ? new Permissions() : null;
  const over = new AbortController();
  const signal = AbortSignal.any([asked, over.signal]);
  const caughtUp = Promise.withResolvers<void>();
  const health = new Health(cluster);
  let shown = 0;
  let undecodable = 0;

  const show = async (topic: TopicName, record: ReadRecord): Promise<void> => {
    const keyText = record.key?.toString() ?? '';
    if (request.partition !== null && record.partition !== request.partition) return;
    if (key !== null && keyText !== key && !keyText.startsWith(`${key}/`)) return;
    if (record.value === null && json) return;
    try {
      const value = record.value === null ? null : await decoders[topic].read(record.value);
      if (topic === 'match-state') permissions?.show(Number(keyText), value as MatchState | null);
      await printLineAndDrain(json ? jsonText(value) : line({ topic, record, key: keyText, value }));
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      undecodable += 1;
      process.stderr.write(`partition ${record.partition}, offset ${record.offset}: ${error.message}\n`);
    }
    shown += 1;
    if (shown >= limit) over.abort();
  };

  const following =
    permissions &&
    caughtUp.promise.then(() => health.known(signal)).then(() => say(permissions, health, signal));
  // Awaited below; without feed health no trading permission may be printed.
  following?.catch(() => over.abort());
  const names = new Map(topics.map((topic) => [topicName(cluster.prefix, topic), topic]));
  await follow({
    brokers: cluster.brokers,
    topics: [...names.keys()],
    from,
    otherwise: request.from === 'beginning' ? 'beginning' : 'end',
    signal,
    async onBatch({ topic: name, records }) {
      const topic = names.get(name);
      for (const record of records) {
        if (signal.aborted || topic === undefined) return;
        await show(topic, record);
      }
    },
    onCaughtUp: () => {
      caughtUp.resolve();
      if (untilEnd) over.abort();
    },
  });
  caughtUp.resolve();
  over.abort();
  await following;
  // What was read to its end from its beginning has no such key; elsewhere its records may be before or to come.
  if (key !== null && shown === 0 && untilEnd && request.from === 'beginning' && !asked.aborted)
    throw new CommandError(`${key} is unknown here: no record of ${topics.join(' or ')} has it as its key`);
  return undecodable === 0 ? 0 : 1;
}

/** Whether it also says what may be traded: values and lines in a given format stand alone, and a command that ends sees no change. */
async function showsTrading(
  { brokers, prefix }: OpenCluster,
  { topics, json, format, untilEnd }: TailRequest,
): Promise<boolean> {
  if (!topics.includes('match-state') || json || format !== null || untilEnd) return false;
  return (await findTopics({ brokers, prefix })).has('feed-health');
}

/** Prints what may be traded as it changes, by time alone too, until `signal`. */
async function say(permissions: Permissions, health: Health, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const [eventId, words] of permissions.changes((id) => health.match(id)))
      await printLineAndDrain(escapeLine(`${new Date().toISOString()}  ${eventId}  ${words}`));
    await delay(PERMISSIONS_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/** The first offset of each partition that does not begin at the beginning or the end. Throws `CommandError`. */
async function startOf(
  { brokers, prefix }: OpenCluster,
  { topics, from, partition }: TailRequest,
): Promise<Map<string, number>> {
  const offsets = new Map<string, number>();
  for (const topic of topics.map((one) => topicName(prefix, one))) {
    const bounds = await topicBounds({ brokers, clientId: 'touchline-tail' }, [topic]);
    if (partition !== null && !bounds.some((one) => one.partition === partition))
      throw new CommandError(`${topic} has partitions 0 to ${bounds.length - 1}, not ${partition}`);
    if (typeof from === 'string') continue;
    if ('since' in from) {
      for (const [key, offset] of await offsetsAt({ brokers, topic, time: from.since }))
        offsets.set(key, offset);
      continue;
    }
    for (const { partition: at, start, end } of bounds) {
      if (partition !== null && partition !== at) continue;
      if (from.offset > end)
        throw new CommandError(`${topic}-${at} ends at ${end}, before offset ${from.offset}`);
      const offset = from.offset < 0 ? end + from.offset : from.offset;
      offsets.set(partitionKey({ topic, partition: at }), Math.max(start, offset));
    }
  }
  return offsets;
}
