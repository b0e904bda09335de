/**
 * Which topics a system was made with: the broker's id of each, in a topic of their own. A broker gives a topic that is deleted and
 * created again another id. Changelogs and positions are left out: the positions of processors know those (docs/decisions/0113).
 */
import { withStreamClient } from '#cluster/connections.ts';
import type { Brokers } from '#security/brokers.ts';
import { silentLogger } from '#streams/log.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { readRange } from '#streams/read/read-range.ts';
import { PROCESSOR_NAMES, PROCESSORS } from './processors.ts';
import { TOPIC_NAMES, type TopicName, type TopicSpec, topicName } from './topics.ts';

/** The topic of the ids. */
export const TOPIC_IDS: TopicSpec = {
  about: 'The broker’s id of each topic as it was created: text, for Touchline itself.',
  key: 'topic',
  partitioning: 'one partition',
  partitions: 1,
  cleanup: 'compact',
  retentionMs: 86_400_000,
  maxMessageBytes: 1024 * 1024,
};

const NAME = 'topic-ids';
const OF_IDS = 0;
const READ_BYTES = 256 * 1024;

/** Returns the name on the broker of the topic of ids. */
export function topicIdsName(prefix: string): string {
  return prefix + NAME;
}

const CHANGELOGS = new Set<TopicName>(PROCESSOR_NAMES.flatMap((of) => PROCESSORS[of].changelogs));

/** The topics whose ids are kept. */
export const IDENTIFIED: readonly TopicName[] = TOPIC_NAMES.filter((topic) => !CHANGELOGS.has(topic));

/** Ids by topic. */
export type TopicIds = ReadonlyMap<TopicName, string>;

/** Returns the ids that the topics of a system have by record; empty without a record, as before its topics are made. Rejects with `StreamError`. */
export function readTopicIds(brokers: Brokers, prefix: string): Promise<TopicIds> {
  const topic = topicIdsName(prefix);
  return withStreamClient(brokers, 'touchline-topic-ids', async (client) => {
    const ids = new Map<TopicName, string>();
    if (!(await client.topicIds([topic])).has(topic)) return ids;
    const of = { topic, partition: OF_IDS };
    const [bounds] = await client.logBounds([of]);
    if (bounds === undefined) return ids;
    for await (const { records } of readRange(client, { ...of, ...bounds, maxBytes: READ_BYTES })) {
      for (const { key, value } of records) {
        const name = IDENTIFIED.find((one) => one === key?.toString());
        if (name === undefined) continue;
        if (value === null) ids.delete(name);
        else ids.set(name, value.toString());
      }
    }
    return ids;
  });
}

/** Records ids of topics; null forgets one, before a command deletes its topic. Rejects with `PublishError`. */
export async function writeTopicIds(
  brokers: Brokers,
  prefix: string,
  ids: ReadonlyMap<TopicName, string | null>,
): Promise<void> {
  const topic = topicIdsName(prefix);
  const records = [...ids].map(([key, id]) => ({
    topic,
    partition: OF_IDS,
    key,
    value: id === null ? null : Buffer.from(id),
  }));
  const options = { brokers, clientId: 'touchline-topic-ids', log: silentLogger };
  if (records.length > 0) await withPublisher(options, (publisher) => publisher.publish(records));
}

/** A topic that was lost: deleted, or deleted and created again. */
export type LostTopic = { readonly topic: TopicName; readonly isThere: boolean };

/** Returns the topics that are not those of the record. `found`: existing topics by their names on the broker. */
export function lostTopics(
  prefix: string,
  recorded: TopicIds,
  found: ReadonlyMap<string, { readonly id: string }>,
): LostTopic[] {
  return [...recorded].flatMap(([topic, id]) => {
    const is = found.get(topicName(prefix, topic))?.id;
    return is === id ? [] : [{ topic, isThere: is !== undefined }];
  });
}

/** Describes lost topics: one line, however many there are. */
export function lostText(prefix: string, lost: readonly LostTopic[]): string {
  const names = (isThere: boolean): string =>
    lost
      .filter((one) => one.isThere === isThere)
      .map(({ topic }) => topicName(prefix, topic))
      .join(', ');
  const [deleted, again] = [names(false), names(true)];
  return [
    ...(deleted === '' ? [] : [`deleted: ${deleted}`]),
    ...(again === '' ? [] : [`deleted and created again, without its records: ${again}`]),
  ].join('; ');
}

/** Returns what to do about lost topics. `command`: `topics`, or `up` where no broker runs without it. */
export function lostAdvice(lost: readonly LostTopic[], command: AcceptingCommand): string {
  const names = lost.map(({ topic }) => topic).join(',');
  return `restore what they had from a backup; then, or to go on without it, run npx touchline ${command} --accept ${names}`;
}

/** The commands with `--accept`. */
export type AcceptingCommand = 'topics' | 'up';
