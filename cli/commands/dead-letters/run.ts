import type { DeadLetter } from '#records/types.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import { followLogs } from '#streams/read/follow.ts';
import { readLatest } from '#topics/follow.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { commandLog, findClusterWith, type OpenCluster } from '../../cluster.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { originText } from '../../summaries.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { printLine } from '../../terminal.ts';
import { escapeLine, jsonText, readableBytes } from '../../values.ts';
import { requireByIdStart } from '../ids.ts';
import type * as commands from './command.ts';
import { openResender, type ResendResult } from './resend.ts';

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
