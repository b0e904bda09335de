import { createHash } from 'node:crypto';
import type { PoisonError } from '#errors/touchline-error.ts';
import type { ConsumedRecord, OutputRecord } from '#streams/client/port.ts';
import type { Codec } from './codec.ts';
import type { DeadLetter } from './generated/types.ts';
import type { Registry } from './registry.ts';
import { type TopicName, topicName } from './topics.ts';

/** The dead-letters topic of a service, and the names in its records. */
export type DeadLetterOptions = {
  readonly service: string;
  /** Input topic without the prefix. */
  readonly input: string;
  /** Name of dead-letters on the broker. */
  readonly topic: string;
  readonly codec: Codec<DeadLetter>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Makes the dead letters of a service's input records. */
export type DeadLetters = (partition: number, record: ConsumedRecord, error: PoisonError) => OutputRecord;

/** Opens the dead letters of a service with the input `input`. Throws as `Registry.codec`. */
export async function openDeadLetters(
  registry: Registry,
  {
    prefix,
    service,
    input,
    now,
  }: Pick<DeadLetterOptions, 'service' | 'now'> & {
    readonly prefix: string;
    readonly input: TopicName;
  },
): Promise<DeadLetters> {
  const codec = await registry.codec('dead-letters');
  const letters = { service, input, topic: topicName(prefix, 'dead-letters'), codec, now };
  return (partition, record, error) => deadLetterOf(letters, partition, record, error);
}

/** The dead letter of an input record; the same record always has the same id. */
export function deadLetterOf(
  options: DeadLetterOptions,
  partition: number,
  record: ConsumedRecord,
  error: PoisonError,
): OutputRecord {
  const { service, input, topic, codec, now } = options;
  const id = createHash('sha256').update(`${input}/${partition}/${record.offset}`).digest('hex');
  const letter: DeadLetter = {
    id,
    service,
    code: error.published,
    reason: error.message,
    topic: input,
    partition,
    offset: record.offset,
    key: record.key,
    value: record.value,
    failed_at: now(),
  };
  return { topic, partition: 0, key: id, value: codec.encode(letter) };
}
