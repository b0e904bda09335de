/** `touchline dead-letters`: shows rejected messages and records, and sends them again. */
import type { Logger } from '#service/logger.ts';
import { openPublisher } from '#streams/publish/publisher.ts';
import { readTopic } from '#streams/read/read-topic.ts';
import type { DeadLetter } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';
import { type Command, CommandError, parseArguments, UsageError } from '../command.ts';
import { commandLog, findPlace, type Place, requireTopic } from '../place.ts';
import { originText } from '../summaries.ts';
import { bytesShown, jsonText, lineShown } from '../values.ts';
import { openResender } from './resend.ts';

const HELP = `Usage: touchline dead-letters list [--json]
       touchline dead-letters show <id> [--json]
       touchline dead-letters resend <id>... | --all

Messages and records that were rejected, with their bytes and the reason. An id may be cut short while it is unambiguous.

  list    a line a letter, the oldest first; --json as touchline tail has it
  show    all of a letter; its bytes as text where they are UTF-8, else base64
  resend  normalizes a body received over HTTP again, with the code of this release, and publishes its messages; publishes
          a record of a topic to that topic again, with its key and value. A letter that was sent leaves the list; one that
          still fails stays, and the exit code is 1. Repeating it is harmless.

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
`;

const ID_SHOWN = 12;

/** Shows and re-sends dead letters. */
export const deadLetters: Command = {
  name: 'dead-letters',
  help: HELP,
  async run(args) {
    const { action, ids, json, all } = parse(args);
    const place = findPlace(process.env);
    await requireTopic(place, 'dead-letters');
    const log = commandLog('dead-letters');
    const letters = await readLetters(place);
    if (action === 'resend') return resend(place, log, all ? letters : ids.map((id) => find(letters, id)));
    const shown = action === 'show' ? ids.map((id) => find(letters, id)) : letters;
    const render = json ? jsonText : action === 'show' ? details : listLine;
    for (const letter of shown) process.stdout.write(`${render(letter)}\n`);
    if (shown.length === 0 && !json) process.stderr.write('there are no dead letters\n');
    return 0;
  },
};

type Options = { action: 'list' | 'show' | 'resend'; ids: string[]; json: boolean; all: boolean };

function parse(args: readonly string[]): Options {
  const options = {
    json: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArguments(args, { options, allowPositionals: true });
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
async function readLetters(place: Place): Promise<DeadLetter[]> {
  const decoder = Registry.open({ url: place.SCHEMA_REGISTRY_URL, prefix: place.TOPIC_PREFIX }).decoder(
    'dead-letters',
  );
  const letters = new Map<string, DeadLetter>();
  await readTopic({
    brokers: place.KAFKA_BROKERS,
    topic: topicName(place.TOPIC_PREFIX, 'dead-letters'),
    fromBeginning: true,
    untilEnd: true,
    async onRecord({ key, value }) {
      const id = key?.toString() ?? '';
      if (value === null) letters.delete(id);
      else letters.set(id, await decoder.decode(value));
    },
  });
  return [...letters.values()];
}

function find(letters: readonly DeadLetter[], id: string): DeadLetter {
  const found = letters.filter((letter) => letter.id.startsWith(id));
  const [letter, another] = found;
  if (letter === undefined) throw new CommandError(`there is no dead letter ${id}`);
  if (another !== undefined) throw new CommandError(`${found.length} dead letters begin with ${id}`);
  return letter;
}

async function resend(place: Place, log: Logger, letters: readonly DeadLetter[]): Promise<number> {
  if (letters.length === 0) {
    process.stderr.write('there are no dead letters\n');
    return 0;
  }
  const registry = Registry.open({ url: place.SCHEMA_REGISTRY_URL, prefix: place.TOPIC_PREFIX });
  const publisher = await openPublisher({ brokers: place.KAFKA_BROKERS, clientId: 'touchline-resend', log });
  let failed = 0;
  try {
    const resender = await openResender({ publisher, registry, prefix: place.TOPIC_PREFIX });
    for (const letter of letters) {
      const { sent, problem } = await resender(letter);
      const what =
        letter.topic === null ? `${sent} ${sent === 1 ? 'message' : 'messages'}` : `back to ${letter.topic}`;
      const said = problem === null ? `sent again: ${what}` : `not done, ${what} sent: ${problem}`;
      process.stdout.write(`${letter.id.slice(0, ID_SHOWN)}  ${said}\n`);
      if (problem !== null) failed += 1;
    }
  } finally {
    await publisher.close();
  }
  return failed === 0 ? 0 : 1;
}

function listLine(letter: DeadLetter): string {
  const { id, failed_at, service, code, reason } = letter;
  const parts = [
    id.slice(0, ID_SHOWN),
    new Date(failed_at).toISOString(),
    service,
    code,
    originText(letter),
    reason,
  ];
  return lineShown(parts.join('  '));
}

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
