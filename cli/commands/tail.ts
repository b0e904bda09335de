/** `touchline tail`: shows the records of a topic, decoded. */
import { onStopRequest } from '#service/stop-requests.ts';
import { type ReadRecord, readTopic } from '#streams/read/read-topic.ts';
import { DecodeError } from '#topics/errors.ts';
import { Registry } from '#topics/registry.ts';
import { TOPIC_NAMES, TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { type Command, parseArguments, UsageError } from '../command.ts';
import { findPlace, requireTopic } from '../place.ts';
import { summaryOf } from '../summaries.ts';
import { jsonText, lineShown } from '../values.ts';

const WIDTH = Math.max(...TOPIC_NAMES.map((name) => name.length));

const HELP = `Usage: touchline tail <topic> [--from-beginning] [--exit-at-end] [--json] [--key <key>]

Shows the records of a topic, decoded, as its consumers should see them (read committed).

  --from-beginning  starts at the first record, else at new records
  --exit-at-end     ends at the last record that was there at the start
  --json            one JSON value a line and nothing else: the value with the schema's field names. Bytes are text
                    where they are UTF-8, else base64. Records without a value (deleted keys) are left out.
  --key <key>       only records with this key; in match-incidents an event's id gives all its incidents

Topics:
${TOPIC_NAMES.map((name) => `  ${name.padEnd(WIDTH)}  ${TOPICS[name].about}`).join('\n')}

The broker is that of KAFKA_BROKERS and SCHEMA_REGISTRY_URL, else the one that touchline up or demo runs here.
Ends with exit code 1 where a record could not be decoded.
`;

/** Shows the records of a topic. */
export const tail: Command = {
  name: 'tail',
  help: HELP,
  async run(args) {
    const { topic, fromBeginning, untilEnd, json, key } = parse(args);
    const place = findPlace(process.env);
    await requireTopic(place, topic);
    const decoder = Registry.open({ url: place.SCHEMA_REGISTRY_URL, prefix: place.TOPIC_PREFIX }).decoder(
      topic,
    );
    const stop = new AbortController();
    const done = onStopRequest({ graceful: () => stop.abort(), force: (code) => process.exit(code) });
    let undecodable = 0;
    const show = async (record: ReadRecord): Promise<void> => {
      const keyText = record.key?.toString() ?? '';
      if (key !== undefined && keyText !== key && !keyText.startsWith(`${key}/`)) return;
      if (record.value === null) {
        if (!json) await print(line(record, keyText, '(no value: the key is deleted)'));
        return;
      }
      try {
        const value = await decoder.decode(record.value);
        await print(json ? jsonText(value) : line(record, keyText, summaryOf(topic, value)));
      } catch (error) {
        if (!(error instanceof DecodeError)) throw error;
        undecodable += 1;
        process.stderr.write(`partition ${record.partition}, offset ${record.offset}: ${error.message}\n`);
      }
    };
    try {
      await readTopic({
        brokers: place.KAFKA_BROKERS,
        topic: topicName(place.TOPIC_PREFIX, topic),
        fromBeginning,
        untilEnd,
        signal: stop.signal,
        onRecord: show,
      });
    } finally {
      done();
    }
    return undecodable === 0 ? 0 : 1;
  },
};

type TailOptions = {
  topic: TopicName;
  fromBeginning: boolean;
  untilEnd: boolean;
  json: boolean;
  key: string | undefined;
};

function parse(args: readonly string[]): TailOptions {
  const options = {
    'from-beginning': { type: 'boolean', default: false },
    'exit-at-end': { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    key: { type: 'string' },
  } as const;
  const { values, positionals } = parseArguments(args, { options, allowPositionals: true });
  const [topic, ...more] = positionals;
  if (topic === undefined || more.length > 0) throw new UsageError('name one topic');
  if (!isTopic(topic)) throw new UsageError(`there is no topic ${JSON.stringify(topic)}`);
  return {
    topic,
    fromBeginning: values['from-beginning'],
    untilEnd: values['exit-at-end'],
    json: values.json,
    key: values.key,
  };
}

function isTopic(name: string): name is TopicName {
  return Object.hasOwn(TOPICS, name);
}

function line(record: ReadRecord, key: string, text: string): string {
  return lineShown(`${new Date(record.timestamp).toISOString()}  ${key}  ${text}`);
}

/** Waits while the reader of the output is slower than the topic. */
async function print(text: string): Promise<void> {
  if (!process.stdout.write(`${text}\n`))
    await new Promise((drained) => process.stdout.once('drain', drained));
}
