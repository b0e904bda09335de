import type { PublishRecord } from '#streams/client/port.ts';
import type { CodecsOf, Registry } from '#topics/registry.ts';
import { TOPICS, type TopicName, topicName } from '#topics/topics.ts';
import type { ReadDelivery } from './delivery.ts';

/** The topics of deliveries. */
export const DELIVERY_TOPICS = [
  'raw-messages',
  'normalized-messages',
  'dead-letters',
] as const satisfies readonly TopicName[];

/** Longest body of a delivery, in bytes: a record of raw-messages or dead-letters is the body plus a few fields. */
export const LARGEST_BODY_BYTES = TOPICS['raw-messages'].maxMessageBytes - 64 * 1024;

/** The codecs of these topics. */
export type DeliveryCodecs = CodecsOf<(typeof DELIVERY_TOPICS)[number]>;

/** Turns deliveries into the records of their topics. */
export type DeliveryEncoder = (delivery: ReadDelivery) => PublishRecord[];

/** An encoder with the schemas of a registry. Throws as `Registry.codec`. */
export async function openDeliveryEncoder(registry: Registry, prefix: string): Promise<DeliveryEncoder> {
  return deliveryEncoder(await registry.codecs(DELIVERY_TOPICS), prefix);
}

/** An encoder with these codecs. The raw record comes first: the others derive from it. */
export function deliveryEncoder(codecs: DeliveryCodecs, prefix: string): DeliveryEncoder {
  const rawTopic = topicName(prefix, 'raw-messages');
  const normalizedTopic = topicName(prefix, 'normalized-messages');
  const deadLetterTopic = topicName(prefix, 'dead-letters');
  return ({ raw, normalized, deadLetters }) => {
    const records: PublishRecord[] = [];
    if (raw !== null) {
      const value = codecs['raw-messages'].encode(raw);
      records.push({ topic: rawTopic, partition: 'any', key: raw.delivery_id, value });
    }
    for (const message of normalized) {
      records.push({
        topic: normalizedTopic,
        key: String(message.event_id),
        value: codecs['normalized-messages'].encode(message),
      });
    }
    for (const letter of deadLetters) {
      records.push({
        topic: deadLetterTopic,
        key: letter.id,
        value: codecs['dead-letters'].encode(letter),
      });
    }
    return records;
  };
}
