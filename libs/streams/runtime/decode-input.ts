import type { Decoder } from '#topics/codec.ts';
import { DecodeError } from '#topics/errors.ts';
import { StreamError } from '../errors.ts';
import { PoisonError } from './processor.ts';

/**
 * The value of an input record; at once, but for the first record of a schema that was not met before. Bytes that can
 * never be read are poison; a schema that cannot be fetched now is waited for (`StreamError` UNAVAILABLE).
 */
export function decodeInput<T>(codec: Decoder<T>, value: Buffer | null): T | Promise<T> {
  if (value === null) throw new PoisonError('no_value', 'a message without a value');
  try {
    const decoded = codec.decode(value);
    return decoded instanceof Promise ? decoded.catch(undecodable) : decoded;
  } catch (error) {
    return undecodable(error);
  }
}

function undecodable(error: unknown): never {
  if (error instanceof DecodeError) {
    throw new PoisonError('undecodable', 'not a message of the schema', error);
  }
  throw new StreamError('UNAVAILABLE', 'the schema of a message cannot be fetched', error);
}
