/** Codecs without a registry, for tests. */

import type { TopicValues } from '#records/types.ts';
import { avroType, type Codec, createCodec, loadSchemas } from '../codec.ts';
import type { TopicName } from '../topics.ts';

const schemas = loadSchemas();

/** Returns the codec of a topic, which knows only the current schema. */
export function codecOf<T extends TopicName>(topic: T): Codec<TopicValues[T]> {
  const schema = schemas.topics.get(topic);
  if (schema === undefined) throw new Error(`no schema of ${topic}`);
  return createCodec<TopicValues[T]>(topic, avroType(schema), 1, async () => null);
}
