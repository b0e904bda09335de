/** The records of the topics of a pipeline without a broker, for views in memory. */
import type { CatalogueRecord, NormalizedMessage } from '#records/types.ts';
import { OWN_RULES, type RulesOf, readRules } from '#service/competition-rules.ts';
import { VIEW_TOPICS, type ViewRecord, type ViewTopic } from '#views/records.ts';
import { codecs, replayInMemory } from '../../cli/commands/replay/testing/in-memory.ts';

/** Returns a catalogue, and what the processors write for messages, in order. */
export async function pipelineRecords(
  messages: readonly NormalizedMessage[],
  catalogue: readonly CatalogueRecord[],
  rulesOf: RulesOf = readRules(OWN_RULES),
): Promise<ViewRecord[]> {
  const inputs = messages.map((message) => ({
    partition: 0,
    key: String(message.event_id),
    value: codecs['normalized-messages'].encode(message),
    timestamp: message.received_at,
  }));
  const published = await replayInMemory(inputs, inputs.length, rulesOf);
  const written = published.flatMap(({ topic, key, value }, offset) =>
    isOfViews(topic) && value !== null
      ? [recordOf(topic, String(key), codecs[topic].decode(value), offset)]
      : [],
  );
  return [...catalogue.map((value) => recordOf('catalogue', `${value.kind}/${value.id}`, value)), ...written];
}

function recordOf(topic: ViewTopic, key: string, value: unknown, offset = 0): ViewRecord {
  return { topic, key, value, partition: 0, offset } as ViewRecord;
}

type WrittenTopic = Extract<ViewTopic, keyof typeof codecs>;

function isOfViews(topic: string): topic is WrittenTopic {
  return topic in codecs && VIEW_TOPICS.some((source) => source === topic);
}
