import { hash } from 'node:crypto';
import type { PoisonError } from '#errors/touchline-error.ts';
import type { DeadLetter } from '#records/types.ts';
import type { ConsumedRecord, OutputRecord } from '#streams/client/port.ts';
import type { Codec } from './codec.ts';

type DeadLetterOptions = {
  readonly service: string;
  /** Input topic without the prefix. */
  readonly input: string;
  /** Name of dead-letters on the broker. */
  readonly topic: string;
  readonly codec: Codec<DeadLetter>;
};

/** Returns the dead letter of an input record. The same record always has the same id. `failedAt`: Unix milliseconds. */
export function deadLetterOf(
  { service, input, topic, codec }: DeadLetterOptions,
  partition: number,
  record: ConsumedRecord,
  error: PoisonError,
  failedAt: number,
): OutputRecord {
  const id = hash('sha256', `${input}/${partition}/${record.offset}`, 'hex');
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
    failed_at: failedAt,
  };
  return { topic, partition: 0, key: id, value: codec.encode(letter) };
}
