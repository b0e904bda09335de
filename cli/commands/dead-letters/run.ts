/** Resends the bytes of a dead letter the way they arrived. */

import { readDeadLetter } from '#ingestion/delivery.ts';
import type { DeadLetter, NormalizedMessage } from '#records/types.ts';
import { type Publisher, withPublisher } from '#streams/publish/publisher.ts';
import { followLogs } from '#streams/read/follow.ts';
import { readLatest } from '#topics/follow.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { commandLog, findClusterWith, type OpenCluster } from '../../cluster.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { originText } from '../../summaries.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { printLine } from '../../terminal.ts';
import { escapeLine, jsonText, readableBytes } from '../../values.ts';
import { requireByIdStart } from '../option-values.ts';
import { normalizeSnapshotAgain } from '../replay/raw-inputs.ts';
import type * as commands from './command.ts';

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
    const { cluster, letters } = await readLetters(all ? undefined : ids);
    if (letters.length === 0) process.stderr.write(NO_LETTERS);
    let exitCode = 0;
    const options = { ...cluster, clientId: 'touchline-resend', log: commandLog('dead-letters') };
    await withPublisher(options, async (publisher) => {
      const to = { ...cluster, publisher, lastOffset: lastOffset.bind(null, cluster) };
      for (const letter of letters) {
        const result = await resendLetter(letter, to);
        printLine(`${letter.id.slice(0, ID_SHOWN)}  ${resultText(letter, result)}`);
        if (result.problem !== null) exitCode = 1;
      }
    });
    return exitCode;
  },
};

async function readLetters(ids?: readonly string[]) {
  const cluster = await findClusterWith(['dead-letters']);
  const all = [...(await readLatest('dead-letters', cluster)).values()];
  const letters = ids?.map((id) => requireByIdStart(all, id, 'dead letter')) ?? all;
  return { cluster, letters };
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

export type ResendResult = {
  readonly sent: number;
  readonly problem: string | null;
  /** Whether the letter was closed without being sent, because its topic has another record of its key. */
  readonly isSuperseded: boolean;
};

/** Messages of one publish: a body that had too many to be received holds more bytes of records than wait for the broker. */
const MAX_AT_ONCE = 1_000;

/** The service that reads the provider's feed. Letters of other services came by webhook. */
const FEED_SERVICE = 'feed-poller';

/** Resends a letter, and closes it once it is sent completely or superseded. `lastOffset`: of the last record of a letter's key, if any. */
export async function resendLetter(
  letter: DeadLetter,
  to: Pick<OpenCluster, 'prefix' | 'registry'> & {
    readonly publisher: Publisher;
    readonly lastOffset: (letter: DeadLetter, topic: TopicName) => Promise<number | null>;
  },
): Promise<ResendResult> {
  const { publisher, registry, prefix, lastOffset } = to;
  const close = () =>
    publisher.publish([{ topic: topicName(prefix, 'dead-letters'), key: letter.id, value: null }]);
  if (letter.topic === null) {
    const { messages, problem } = readAgain(letter);
    const topic = topicName(prefix, 'normalized-messages');
    const codec = await registry.codec('normalized-messages');
    for (let at = 0; at < messages.length; at += MAX_AT_ONCE)
      await publisher.publish(
        messages
          .slice(at, at + MAX_AT_ONCE)
          .map((message) => ({ topic, key: String(message.event_id), value: codec.encode(message) })),
      );
    if (problem === null) await close();
    return { sent: messages.length, problem, isSuperseded: false };
  }
  if (!Object.hasOwn(TOPICS, letter.topic))
    return { sent: 0, problem: `there is no topic ${letter.topic}`, isSuperseded: false };
  const topic = letter.topic as TopicName;
  // In a compacted topic the last record of a key counts: an older record sent now would replace it.
  const last = TOPICS[topic].cleanup === 'compact' ? await lastOffset(letter, topic) : null;
  // A lower offset means that the topic was created again, and its records were derived again.
  const isSuperseded = last !== null && last !== letter.offset;
  const { partition, key, value } = letter;
  const record = { topic: topicName(prefix, topic), key, value };
  if (!isSuperseded) await publisher.publish([partition === null ? record : { ...record, partition }]);
  await close();
  return { sent: isSuperseded ? 0 : 1, problem: null, isSuperseded };
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
