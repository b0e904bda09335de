/** The topics that a system was made with: their ids, and the bounds of compacted logs (docs/decisions/0113). */
import { z } from 'zod';
import type { BrokerConnections } from '#cluster/access.ts';
import { boundsOver, idsOver, readPartition } from '#cluster/logs.ts';
import { parseJson } from '#json/values.ts';
import type { Brokers } from '#security/brokers.ts';
import type { LogBounds, OutputRecord } from '#streams/client/port.ts';
import { silentLogger } from '#streams/log.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { TopicMismatchError } from './errors.ts';
import { PROCESSOR_NAMES, PROCESSORS } from './processors.ts';
import { TOPIC_NAMES, TOPICS, type TopicName, type TopicSpec, topicName } from './topics.ts';

/** The topic of the ids. */
export const TOPIC_IDS: TopicSpec = {
  about:
    'The broker’s id of each topic as it was created, and the bounds of compacted ones: JSON, for Touchline itself.',
  key: 'topic',
  partitioning: 'one partition',
  partitions: 1,
  cleanup: 'compact',
  retentionMs: 86_400_000,
  maxMessageBytes: 1024 * 1024,
};

const NAME = 'topic-ids';
const OF_IDS = 0;

/** Returns the name on the broker of the topic of ids. */
export function topicIdsName(prefix: string): string {
  return prefix + NAME;
}

const CHANGELOGS = new Set<TopicName>(PROCESSOR_NAMES.flatMap((of) => PROCESSORS[of].changelogs));

/** The topics whose ids are kept. */
export const IDENTIFIED: readonly TopicName[] = TOPIC_NAMES.filter((topic) => !CHANGELOGS.has(topic));

/** What a topic was when it was created, accepted or last edited; `logs` by partition, of a compacted topic alone. */
const topicMark = z.object({
  id: z.string(),
  /** `start`: where the log began: compaction alone never moves it. `end`: lower bound of its end. */
  logs: z.array(z.object({ start: z.number(), end: z.number() })),
});

export type TopicMark = Readonly<z.infer<typeof topicMark>>;

type TopicMarks = ReadonlyMap<TopicName, TopicMark>;

/** Returns the recorded marks of a system's topics; empty without one, as before its topics are made. Rejects with `StreamError`. */
export async function readTopicMarks(connections: BrokerConnections, prefix: string): Promise<TopicMarks> {
  const marks = new Map<TopicName, TopicMark>();
  for (const { key, value } of await readPartition(connections, {
    topic: topicIdsName(prefix),
    partition: OF_IDS,
  })) {
    const name = IDENTIFIED.find((one) => one === key?.toString());
    const mark = topicMark.safeParse(parseJson(value?.toString() ?? ''));
    if (name === undefined) continue;
    if (mark.success) marks.set(name, mark.data);
    else marks.delete(name);
  }
  return marks;
}

/** Returns the record of a topic's mark; null forgets it, before a command deletes the topic. */
export function markRecord(prefix: string, key: TopicName, mark: TopicMark | null): OutputRecord {
  const value = mark === null ? null : Buffer.from(JSON.stringify(mark));
  return { topic: topicIdsName(prefix), partition: OF_IDS, key, value };
}

/** Records marks of topics. Rejects with `PublishError`. */
export async function writeTopicMarks(
  brokers: Brokers,
  prefix: string,
  marks: ReadonlyMap<TopicName, TopicMark | null>,
): Promise<void> {
  const records = [...marks].map(([topic, mark]) => markRecord(prefix, topic, mark));
  const options = { brokers, clientId: 'touchline-topic-ids', log: silentLogger };
  if (records.length > 0) await withPublisher(options, (publisher) => publisher.publish(records));
}

/** What happened to a topic that was lost, in the words of a message. */
const LOSSES = {
  deleted: 'deleted',
  recreated: 'deleted and created again, without its records',
  beginning: 'without its first records, which retention or an operator deleted',
  end: 'without its last records, which a broker lost',
} as const;

/** A topic that lost records which nobody writes again. */
export type LostTopic = { readonly topic: TopicName; readonly loss: keyof typeof LOSSES };

/** Returns the topics that are not as they were recorded. `found`: existing topics, `bounds`: the logs of compacted ones, by names on the broker. */
export function lostTopics(
  prefix: string,
  marks: TopicMarks,
  found: ReadonlyMap<string, { readonly id: string }>,
  bounds: ReadonlyMap<string, readonly LogBounds[]>,
): LostTopic[] {
  return [...marks].flatMap(([topic, mark]) => {
    const name = topicName(prefix, topic);
    const loss = lossOf(mark, found.get(name)?.id, bounds.get(name) ?? []);
    return loss === null ? [] : [{ topic, loss }];
  });
}

function lossOf(
  mark: TopicMark,
  id: string | undefined,
  logs: readonly LogBounds[],
): LostTopic['loss'] | null {
  if (id === undefined) return 'deleted';
  if (id !== mark.id) return 'recreated';
  const differs = (is: (now: LogBounds, was: LogBounds) => boolean): boolean =>
    logs.some((log, partition) => is(log, mark.logs[partition] ?? UNMARKED));
  if (differs((now, was) => now.start > was.start)) return 'beginning';
  return differs((now, was) => now.end < was.end) ? 'end' : null;
}

const UNMARKED: LogBounds = { start: 0, end: 0 };

/** Looks up which of these topics were lost. `found`: existing topics by their names on the broker. Rejects with `StreamError`. */
export async function findLostTopics(
  connections: BrokerConnections,
  prefix: string,
  found: ReadonlyMap<string, { readonly id: string }>,
  of: (topic: TopicName) => boolean = () => true,
): Promise<{ readonly lost: LostTopic[]; readonly marks: TopicMarks }> {
  const marks = await readTopicMarks(connections, prefix);
  const wanted = new Map([...marks].filter(([topic]) => of(topic)));
  const bounds = await compactedBounds(connections, prefix, [...wanted.keys()], found);
  return { lost: lostTopics(prefix, wanted, found, bounds), marks };
}

/** Returns the mark of a topic, for a writer that raises its end; null without. Throws `TopicMismatchError` TOPIC_LOST. */
export async function requireTopicMark(
  connections: BrokerConnections,
  prefix: string,
  topic: TopicName,
): Promise<TopicMark | null> {
  const name = topicName(prefix, topic);
  const ids = await idsOver(connections, [name]);
  const found = new Map([...ids].map(([of, id]) => [of, { id }]));
  const { lost, marks } = await findLostTopics(connections, prefix, found, (one) => one === topic);
  if (lost.length > 0) throw topicsLost(prefix, lost, 'topics');
  return marks.get(topic) ?? null;
}

/** Returns the bounds of the logs of those of these topics that are compacted and exist, by their names on the broker. */
export async function compactedBounds(
  connections: BrokerConnections,
  prefix: string,
  topics: readonly TopicName[],
  found: ReadonlyMap<string, unknown>,
): Promise<Map<string, LogBounds[]>> {
  const names = topics
    .filter((topic) => TOPICS[topic].cleanup === 'compact')
    .map((topic) => topicName(prefix, topic))
    .filter((name) => found.has(name));
  return Map.groupBy(await boundsOver(connections, names), ({ topic }) => topic);
}

/** Describes lost topics: one line, however many there are. */
export function lostText(prefix: string, lost: readonly LostTopic[]): string {
  return [...Map.groupBy(lost, ({ loss }) => loss)]
    .map(([loss, of]) => `${LOSSES[loss]}: ${of.map(({ topic }) => topicName(prefix, topic)).join(', ')}`)
    .join('; ');
}

/** Returns what to do about lost topics. `command`: `topics`, or `up` where no broker runs without it. */
export function lostAdvice(lost: readonly LostTopic[], command: AcceptingCommand): string {
  const names = lost.map(({ topic }) => topic).join(',');
  return `restore what they had from a backup; then, or to go on without it, run npx touchline ${command} --accept ${names}`;
}

/** Returns the error of lost topics. */
export function topicsLost(prefix: string, lost: readonly LostTopic[], command: AcceptingCommand): Error {
  return new TopicMismatchError([lostText(prefix, lost), lostAdvice(lost, command)], 'TOPIC_LOST');
}

/** The commands with `--accept`. */
export type AcceptingCommand = 'topics' | 'up';
