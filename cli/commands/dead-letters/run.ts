import { readTopic } from '#cluster/read-topic.ts';
import type { Logger } from '#service/logger.ts';
import { withPublisher } from '#streams/publish/publisher.ts';
import type { DeadLetter } from '#topics/generated/types.ts';
import { readLatest } from '#topics/read-values.ts';
import { type TopicName, topicName } from '#topics/topics.ts';
import { commandLog, findCluster, type OpenCluster, requireTopics } from '../../cluster.ts';
import { CommandError, type GivenTo, UsageError } from '../../command.ts';
import { originText } from '../../summaries.ts';
import { type TextColumn, tableText } from '../../table.ts';
import { bytesShown, jsonText, lineShown } from '../../values.ts';
import type { command } from './command.ts';
import { openResender, type Resent } from './resend.ts';

const ID_SHOWN = 12;

export async function run(given: GivenTo<typeof command>): Promise<number> {
  const { action, ids, json, all } = parse(given);
  const place = findCluster(process.env);
  await requireTopics(place, ['dead-letters']);
  const log = commandLog('dead-letters');
  const letters = await readLetters(place);
  if (action === 'resend') return resend(place, log, all ? letters : ids.map((id) => find(letters, id)));
  const shown = action === 'show' ? ids.map((id) => find(letters, id)) : letters;
  if (action === 'list' && !json) process.stdout.write(tableText(COLUMNS, shown));
  else for (const letter of shown) process.stdout.write(`${json ? jsonText(letter) : details(letter)}\n`);
  if (shown.length === 0 && !json) process.stderr.write('there are no dead letters\n');
  return 0;
}

function parse({ values, positionals }: GivenTo<typeof command>) {
  const [action, ...ids] = positionals;
  if (action !== 'list' && action !== 'show' && action !== 'resend') {
    throw new UsageError('say list, show or resend');
  }
  const { json, all } = values;
  if (all && action !== 'resend') throw new UsageError('--all goes with resend');
  if (json && action === 'resend') throw new UsageError('--json goes with list and show');
  if (action === 'list' && ids.length > 0) throw new UsageError('list takes no id');
  if (action !== 'list' && all === ids.length > 0) throw new UsageError('name letters by their ids');
  return { action, ids, json, all };
}

/** The open letters, the oldest first. */
async function readLetters(place: OpenCluster): Promise<DeadLetter[]> {
  return [...(await readLatest('dead-letters', place)).values()];
}

function find(letters: readonly DeadLetter[], id: string): DeadLetter {
  const found = letters.filter((letter) => letter.id.startsWith(id));
  const [letter, another] = found;
  if (letter === undefined) throw new CommandError(`there is no dead letter ${id}`);
  if (another !== undefined) throw new CommandError(`${found.length} dead letters begin with ${id}`);
  return letter;
}

async function resend(place: OpenCluster, log: Logger, letters: readonly DeadLetter[]): Promise<number> {
  if (letters.length === 0) {
    process.stderr.write('there are no dead letters\n');
    return 0;
  }
  const { registry, prefix } = place;
  let failed = 0;
  const options = { brokers: place.brokers, clientId: 'touchline-resend', log };
  await withPublisher(options, async (publisher) => {
    const resender = await openResender({
      publisher,
      registry,
      prefix,
      lastOffset: (letter, topic) => lastOffset(place, letter, topic),
    });
    for (const letter of letters) {
      const resent = await resender(letter);
      process.stdout.write(`${letter.id.slice(0, ID_SHOWN)}  ${saidOf(letter, resent)}\n`);
      if (resent.problem !== null) failed += 1;
    }
  });
  return failed === 0 ? 0 : 1;
}

function saidOf(letter: DeadLetter, { sent, problem, isSuperseded }: Resent): string {
  if (isSuperseded) return `not sent, closed: ${letter.topic} has another record of its key, which counts`;
  const what =
    letter.topic === null ? `${sent} ${sent === 1 ? 'message' : 'messages'}` : `back to ${letter.topic}`;
  return problem === null ? `sent again: ${what}` : `not done, ${what} sent: ${problem}`;
}

/** Reads the topic for each letter, right before it is sent: a newer record may come at any time. */
async function lastOffset(
  { brokers, prefix }: OpenCluster,
  { partition, key }: DeadLetter,
  topic: TopicName,
): Promise<number | null> {
  if (key === null) return null;
  let last: number | null = null;
  await readTopic({
    brokers,
    topic: topicName(prefix, topic),
    untilEnd: true,
    async onRecord(record) {
      if (record.partition === partition && record.key?.equals(key)) last = record.offset;
    },
  });
  return last;
}

const COLUMNS: readonly TextColumn<DeadLetter>[] = [
  { head: 'id', of: ({ id }) => id.slice(0, ID_SHOWN) },
  { head: 'failed at', of: ({ failed_at }) => new Date(failed_at).toISOString() },
  { head: 'service', of: ({ service }) => service },
  { head: 'code', of: ({ code }) => code },
  { head: 'from', least: 12, of: originText },
  { head: 'reason', least: 16, of: ({ reason }) => reason },
];

function details(letter: DeadLetter): string {
  const { key, value, failed_at, ...rest } = letter;
  const fields = {
    ...rest,
    failed_at: new Date(failed_at).toISOString(),
    key: key === null ? null : bytesShown(key),
  };
  const lines = Object.entries(fields).map(
    ([name, shown]) => `${name.padEnd(9)}  ${lineShown(String(shown ?? '-'))}`,
  );
  return [...lines, '', value === null ? '(no value)' : bytesShown(value), ''].join('\n');
}
