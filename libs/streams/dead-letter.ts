import { createHash } from 'node:crypto';
import type { Codec } from '#topics/codec.ts';
import type { DeadLetter } from '#topics/generated/types.ts';
import type { ConsumedRecord, OutputRecord } from './port.ts';
import type { PoisonError } from './processor.ts';

/** Where dead letters of a service go and how they are named. */
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

/** Below what dead-letters takes, with room for the other fields. */
const MAX_BYTES = 7 * 1024 * 1024;

/**
 * The dead letter of an input record; the same record always has the same id. A record that is too large to be in one is
 * named without its bytes, which are at its offset.
 */
export function deadLetterOf(
  options: DeadLetterOptions,
  partition: number,
  record: ConsumedRecord,
  error: PoisonError,
): OutputRecord {
  const { service, input, topic, codec, now } = options;
  const bytes = (record.key?.length ?? 0) + (record.value?.length ?? 0);
  const isHeld = bytes <= MAX_BYTES;
  const id = createHash('sha256').update(`${input}/${partition}/${record.offset}`).digest('hex');
  const letter: DeadLetter = {
    id,
    service,
    code: error.code,
    reason: isHeld ? error.message : `${error.message}; its ${bytes} bytes are only at its offset`,
    topic: input,
    partition,
    offset: record.offset,
    key: isHeld ? record.key : null,
    value: isHeld ? record.value : null,
    failed_at: now(),
  };
  return { topic, partition: 0, key: id, value: codec.encode(letter) };
}
