import { PoisonError } from '#errors/poison-error.ts';
import type { Decoder } from '#topics/codec.ts';
import { DecodeError } from '#topics/errors.ts';
import { StreamError } from '../errors.ts';

/**
 * The value of an input record; synchronous, except for the first record of a new schema. Unreadable bytes are poison;
 * a schema that cannot be fetched is transient (`StreamError` UNAVAILABLE).
 */
export function decodeInput<T>(codec: Decoder<T>, value: Buffer | null): T | Promise<T> {
  if (value === null) throw new PoisonError('NO_VALUE', 'a message without a value');
  try {
    const decoded = codec.decode(value);
    return decoded instanceof Promise ? decoded.catch(undecodable) : decoded;
  } catch (error) {
    return undecodable(error);
  }
}

function undecodable(error: unknown): never {
  if (error instanceof DecodeError) {
    throw new PoisonError('UNDECODABLE', 'not a message of the schema', error);
  }
  throw new StreamError('UNAVAILABLE', 'the schema of a message cannot be fetched', error);
}
