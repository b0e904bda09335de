import type { PublishRecord } from '#streams/publish/publisher.ts';
import type { Codec } from '#topics/codec.ts';
import type { Registry } from '#topics/registry.ts';
import { TOPICS, type TopicName, type TopicValues, topicName } from '#topics/topics.ts';
import type { Delivery } from './delivery.ts';

/** The topics that what is delivered goes to. */
export const DELIVERY_TOPICS = [
  'raw-messages',
  'normalized-messages',
  'dead-letters',
] as const satisfies readonly TopicName[];

/** Longest body of a delivery, in bytes: a record of raw-messages or dead-letters is the body and a little more. */
export const LARGEST_BODY_BYTES = TOPICS['raw-messages'].maxMessageBytes - 64 * 1024;

/** The codecs of these topics. */
export type DeliveryCodecs = { readonly [T in (typeof DELIVERY_TOPICS)[number]]: Codec<TopicValues[T]> };

/** Turns deliveries into the records of their topics. */
export type DeliveryEncoder = (delivery: Delivery) => PublishRecord[];

/** An encoder with the schemas of a registry. Throws what `Registry.codec` throws. */
export async function openDeliveryEncoder(registry: Registry, prefix: string): Promise<DeliveryEncoder> {
  const [raw, normalized, dead] = await Promise.all([
    registry.codec('raw-messages'),
    registry.codec('normalized-messages'),
    registry.codec('dead-letters'),
  ]);
  return deliveryEncoder(
    { 'raw-messages': raw, 'normalized-messages': normalized, 'dead-letters': dead },
    prefix,
  );
}

/** An encoder with these codecs. The raw record comes first: it is what the others are made of. */
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
