import type { Delivery } from '#contract/delivery.ts';
import type { PublishRecord } from '#streams/publisher.ts';
import type { Codec } from '#topics/codec.ts';
import type { DeadLetter, NormalizedMessage, RawMessage } from '#topics/generated/types.ts';
import type { Registry } from '#topics/registry.ts';
import { topicName } from '#topics/topics.ts';

/** Turns deliveries into the records of their topics. */
export type DeliveryEncoder = (delivery: Delivery) => PublishRecord[];

/** An encoder with the schemas of a registry. Throws what `Registry.codec` throws. */
export async function openDeliveryEncoder(registry: Registry, prefix: string): Promise<DeliveryEncoder> {
  const [raw, normalized, deadLetters] = await Promise.all([
    registry.codec('raw-messages'),
    registry.codec('normalized-messages'),
    registry.codec('dead-letters'),
  ]);
  return deliveryEncoder({ raw, normalized, deadLetters }, prefix);
}

/** An encoder with these codecs. */
export function deliveryEncoder(
  codecs: { raw: Codec<RawMessage>; normalized: Codec<NormalizedMessage>; deadLetters: Codec<DeadLetter> },
  prefix: string,
): DeliveryEncoder {
  const rawTopic = topicName(prefix, 'raw-messages');
  const normalizedTopic = topicName(prefix, 'normalized-messages');
  const deadLetterTopic = topicName(prefix, 'dead-letters');
  return ({ raw, normalized, deadLetters }) => {
    const records: PublishRecord[] = [];
    if (raw !== null) records.push({ topic: rawTopic, key: raw.delivery_id, value: codecs.raw.encode(raw) });
    for (const message of normalized) {
      records.push({
        topic: normalizedTopic,
        key: String(message.event_id),
        value: codecs.normalized.encode(message),
      });
    }
    for (const letter of deadLetters) {
      records.push({ topic: deadLetterTopic, key: letter.id, value: codecs.deadLetters.encode(letter) });
    }
    return records;
  };
}
