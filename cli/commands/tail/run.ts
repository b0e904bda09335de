/** `touchline tail`: shows the records of a topic, decoded. */
import { setTimeout as delay } from 'node:timers/promises';
import { onStopRequest } from '#service/stop-requests.ts';
import { type ReadRecord, readTopic } from '#streams/read/read-topic.ts';
import { findTopics } from '#topics/admin.ts';
import { DecodeError } from '#topics/errors.ts';
import type { MatchState } from '#topics/generated/types.ts';
import { Registry } from '#topics/registry.ts';
import { TOPIC_NAMES, TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import { type GivenTo, UsageError } from '../../command.ts';
import { findPlace, type Place, requireTopic } from '../../place.ts';
import { didYouMean } from '../../suggest.ts';
import { summaryOf } from '../../summaries.ts';
import { jsonText, lineShown } from '../../values.ts';
import { Health } from '../status/followed.ts';
import type { tail } from './command.ts';
import { Permissions } from './permissions.ts';

const PERMISSIONS_EVERY_MS = 100;

/** Shows the records of a topic. */
export async function runTail(given: GivenTo<typeof tail>): Promise<number> {
  const { topic, fromBeginning, untilEnd, json, key } = parse(given);
  const place = findPlace(process.env);
  await requireTopic(place, topic);
  const decoder = Registry.open({ url: place.SCHEMA_REGISTRY_URL, prefix: place.TOPIC_PREFIX }).decoder(
    topic,
  );
  const stop = new AbortController();
  const done = onStopRequest({ graceful: () => stop.abort(), force: (code) => process.exit(code) });
  let undecodable = 0;
  // With --json a line is a value and nothing else; a command that ends does not see what changes.
  const isFollowed = topic === 'match-state' && !json && !untilEnd && (await hasTopic(place, 'feed-health'));
  const permissions = isFollowed ? new Permissions() : null;
  const caughtUp = Promise.withResolvers<void>();
  const health = new Health(place);
  const show = async (record: ReadRecord): Promise<void> => {
    const keyText = record.key?.toString() ?? '';
    if (key !== undefined && keyText !== key && !keyText.startsWith(`${key}/`)) return;
    if (record.value === null) {
      permissions?.show(Number(keyText), null);
      if (!json) await print(line(record, keyText, '(no value: the key is deleted)'));
      return;
    }
    try {
      const value = await decoder.decode(record.value);
      permissions?.show(Number(keyText), value as MatchState);
      await print(json ? jsonText(value) : line(record, keyText, summaryOf(topic, value)));
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      undecodable += 1;
      process.stderr.write(`partition ${record.partition}, offset ${record.offset}: ${error.message}\n`);
    }
  };
  const shown = caughtUp.promise.then(() => health.known(place, stop.signal));
  const following = permissions === null ? null : shown.then(() => say(permissions, health, stop.signal));
  // Awaited below; without feed health nothing may be said of what may be traded.
  following?.catch(() => stop.abort());
  try {
    await readTopic({
      brokers: place.KAFKA_BROKERS,
      topic: topicName(place.TOPIC_PREFIX, topic),
      fromBeginning,
      untilEnd,
      signal: stop.signal,
      onRecord: show,
      onCaughtUp: () => caughtUp.resolve(),
    });
    caughtUp.resolve();
    stop.abort();
    await following;
  } finally {
    stop.abort();
    done();
  }
  return undecodable === 0 ? 0 : 1;
}

/** Prints what may be traded as it changes, by time alone too, until `signal`. */
async function say(permissions: Permissions, health: Health, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const [eventId, words] of permissions.changes((id) => health.match(id)))
      await print(lineShown(`${new Date().toISOString()}  ${eventId}  ${words}`));
    await delay(PERMISSIONS_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

async function hasTopic({ KAFKA_BROKERS, TOPIC_PREFIX }: Place, topic: TopicName): Promise<boolean> {
  return (await findTopics({ brokers: KAFKA_BROKERS, prefix: TOPIC_PREFIX })).has(topic);
}

type TailOptions = {
  topic: TopicName;
  fromBeginning: boolean;
  untilEnd: boolean;
  json: boolean;
  key: string | undefined;
};

function parse({ values, positionals }: GivenTo<typeof tail>): TailOptions {
  const [topic, ...more] = positionals;
  if (topic === undefined || more.length > 0) throw new UsageError('name one topic');
  if (!isTopic(topic))
    throw new UsageError(`there is no topic ${JSON.stringify(topic)}${didYouMean(topic, TOPIC_NAMES)}`);
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
