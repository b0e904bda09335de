/** Resends the bytes of a dead letter the way they arrived. */
import { readDeadLetter } from '#ingestion/delivery.ts';
import type { DeadLetter, NormalizedMessage } from '#records/types.ts';
import type { Publisher } from '#streams/publish/publisher.ts';
import type { Registry } from '#topics/registry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { normalizeSnapshotAgain } from '../replay/raw-inputs.ts';

/** The result of resending a letter. */
export type ResendResult = {
  /** Number of records sent. */
  readonly sent: number;
  /** Why the letter stays open; null when it is closed. */
  readonly problem: string | null;
  /** Whether the letter was closed without being sent, because its topic has another record of its key. */
  readonly isSuperseded: boolean;
};

/** Returns the offset of the last record of a letter's key in its partition; null when there is none. */
type LastOffset = (letter: DeadLetter, topic: TopicName) => Promise<number | null>;

/** Messages of one publish: a body that had too many to be received holds more bytes of records than wait for the broker. */
const MAX_AT_ONCE = 1_000;

/** The service that reads the provider's feed. Letters of other services came by webhook. */
const FEED_SERVICE = 'feed-poller';

/** Returns a function that resends a letter, and closes it once it is sent completely or superseded. */
export async function openResender(to: {
  readonly publisher: Publisher;
  readonly registry: Registry;
  readonly prefix: string;
  readonly lastOffset: LastOffset;
}): Promise<(letter: DeadLetter) => Promise<ResendResult>> {
  const { publisher, registry, prefix, lastOffset } = to;
  const normalized = await registry.codec('normalized-messages');

  const isSuperseded = async (letter: DeadLetter, topic: TopicName): Promise<boolean> => {
    // In a compacted topic the last record of a key counts: an older record sent now would replace it.
    if (TOPICS[topic].cleanup !== 'compact') return false;
    const last = await lastOffset(letter, topic);
    // A lower offset means that the topic was created again, and its records were derived again.
    return last !== null && last !== letter.offset;
  };

  const close = ({ id: key }: DeadLetter): Promise<void> =>
    publisher.publish([{ topic: topicName(prefix, 'dead-letters'), key, value: null }]);

  const sendToTopic = async (letter: DeadLetter, topic: TopicName): Promise<ResendResult> => {
    const { partition, key, value } = letter;
    const superseded = await isSuperseded(letter, topic);
    const record = { topic: topicName(prefix, topic), key, value };
    if (!superseded) await publisher.publish([partition === null ? record : { ...record, partition }]);
    await close(letter);
    return { sent: superseded ? 0 : 1, problem: null, isSuperseded: superseded };
  };

  return async (letter) => {
    if (letter.topic !== null) {
      if (Object.hasOwn(TOPICS, letter.topic)) return sendToTopic(letter, letter.topic as TopicName);
      return { sent: 0, problem: `there is no topic ${letter.topic}`, isSuperseded: false };
    }
    const { messages, problem } = readAgain(letter);
    const topic = topicName(prefix, 'normalized-messages');
    for (let at = 0; at < messages.length; at += MAX_AT_ONCE)
      await publisher.publish(
        messages.slice(at, at + MAX_AT_ONCE).map((message) => ({
          topic,
          key: String(message.event_id),
          value: normalized.encode(message),
        })),
      );
    if (problem === null) await close(letter);
    return { sent: messages.length, problem, isSuperseded: false };
  };
}

/** Returns the messages that this release reads in bytes that came over HTTP, and the first problem. */
function readAgain(letter: DeadLetter): { messages: readonly NormalizedMessage[]; problem: string | null } {
  const { service, key, value } = letter;
  const origin = service === FEED_SERVICE ? 'feed' : 'webhook';
  // The time of receipt is that of the rejection: resending does not make the message newer.
  const receivedAt = letter.failed_at;
  const snapshot =
    origin === 'feed' && value !== null
      ? normalizeSnapshotAgain(value, { origin, deliveryId: key?.toString() ?? '', receivedAt })
      : null;
  if (snapshot?.kind === 'normalized') return { messages: [snapshot.message], problem: null };
  if (snapshot?.kind === 'unreadable')
    return { messages: [], problem: `${snapshot.code}: ${snapshot.reason}` };
  const { normalized: messages, faults, ignored } = readDeadLetter(letter, { origin, service, receivedAt });
  const [fault] = faults;
  if (fault !== undefined) return { messages, problem: `${fault.code}: ${fault.reason}` };
  const [type] = ignored.keys();
  return {
    messages,
    problem: type === undefined ? null : `this release does not use messages of type ${JSON.stringify(type)}`,
  };
}
