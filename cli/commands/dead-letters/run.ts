/** Resends the bytes of a dead letter the way they arrived. */

import { readDeadLetter } from '#ingestion/delivery.ts';
import type { DeadLetter, NormalizedMessage } from '#records/types.ts';
import { type Publisher, withPublisher } from '#streams/publish/publisher.ts';
import { followLogs } from '#streams/read/follow.ts';
import { readLatest } from '#topics/follow.ts';
import type { Registry } from '#topics/registry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { commandLog, findClusterWith, type OpenCluster } from '../../cluster.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { originText } from '../../summaries.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { printLine } from '../../terminal.ts';
import { escapeLine, jsonText, readableBytes } from '../../values.ts';
import { requireByIdStart } from '../ids.ts';
import { normalizeSnapshotAgain } from '../replay/raw-inputs.ts';
import type * as commands from './command.ts';

/** Number of characters of an id to show. */
const ID_SHOWN = 12;
const NO_LETTERS = 'there are no dead letters\n';

export const actions = {
  list: async (...[{ json }]: GivenTo<typeof commands.list>) => {
    const { letters } = await readLetters();
    if (json) for (const letter of letters) printLine(jsonText(letter));
    else if (letters.length === 0) process.stderr.write(NO_LETTERS);
    else process.stdout.write(tableText(COLUMNS, letters));
    return 0;
  },
  show: async (...[ids, { json }]: GivenTo<typeof commands.show>) => {
    const { letters } = await readLetters(ids);
    for (const letter of letters) printLine(json === true ? jsonText(letter) : details(letter));
    return 0;
  },
  resend: async (...[ids, { all }]: GivenTo<typeof commands.resend>) => {
    if ((all === true) === ids.length > 0) throw new UsageError('name letters by their ids');
    const { cluster, letters } = await readLetters(all === true ? undefined : ids);
    return resend(cluster, letters);
  },
};

/** Reads the letters whose ids begin so; default: all letters. */
async function readLetters(ids?: readonly string[]) {
  const cluster = await findClusterWith(['dead-letters']);
  const all = [...(await readLatest('dead-letters', cluster)).values()];
  const letters = ids?.map((id) => requireByIdStart(all, id, 'dead letter')) ?? all;
  return { cluster, letters };
}

/** Resends letters, and prints a line for each. Returns the exit code: 1 when a letter stays open. */
async function resend(cluster: OpenCluster, letters: readonly DeadLetter[]): Promise<number> {
  if (letters.length === 0) {
    process.stderr.write(NO_LETTERS);
    return 0;
  }
  const { brokers, registry, prefix } = cluster;
  let failed = 0;
  const options = { brokers, clientId: 'touchline-resend', log: commandLog('dead-letters') };
  await withPublisher(options, async (publisher) => {
    const resendOne = await openResender({
      publisher,
      registry,
      prefix,
      lastOffset: (letter, topic) => lastOffset(cluster, letter, topic),
    });
    for (const letter of letters) {
      const result = await resendOne(letter);
      printLine(`${letter.id.slice(0, ID_SHOWN)}  ${resultText(letter, result)}`);
      if (result.problem !== null) failed += 1;
    }
  });
  return failed === 0 ? 0 : 1;
}

function resultText(letter: DeadLetter, { sent, problem, isSuperseded }: ResendResult): string {
  if (isSuperseded) return `not sent, closed: ${letter.topic} has another record of its key, which counts`;
  const what =
    letter.topic === null ? `${sent} ${sent === 1 ? 'message' : 'messages'}` : `back to ${letter.topic}`;
  return problem === null ? `sent again: ${what}` : `not done, ${what} sent: ${problem}`;
}

/** Returns the offset of the last record of a letter's key, null without one. Reads anew: a newer one may come at any time. */
async function lastOffset(
  { brokers, prefix }: OpenCluster,
  { partition, key }: DeadLetter,
  topic: TopicName,
): Promise<number | null> {
  if (key === null) return null;
  let last: number | null = null;
  await followLogs({
    brokers,
    topics: [topicName(prefix, topic)],
    untilEnd: true,
    onBatch(batch) {
      const records = batch.find((one) => one.partition === partition)?.records;
      last = records?.findLast((record) => record.key?.equals(key))?.offset ?? last;
    },
  });
  return last;
}

const COLUMNS: readonly TextColumn<DeadLetter>[] = [
  { head: 'id', of: ({ id }) => id.slice(0, ID_SHOWN) },
  { head: 'failed at', of: ({ failed_at }) => new Date(failed_at).toISOString() },
  { head: 'service', of: ({ service }) => service },
  { head: 'code', of: ({ code }) => code },
  { head: 'from', minWidth: 12, of: originText },
  { head: 'reason', minWidth: 16, of: ({ reason }) => reason },
];

function details(letter: DeadLetter): string {
  const { key, value, failed_at, ...rest } = letter;
  const fields = {
    ...rest,
    failed_at: new Date(failed_at).toISOString(),
    key: key === null ? null : readableBytes(key),
  };
  const lines = Object.entries(fields).map(
    ([name, shown]) => `${name.padEnd(9)}  ${escapeLine(String(shown ?? '-'))}`,
  );
  return [...lines, '', value === null ? '(no value)' : readableBytes(value), ''].join('\n');
}

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
