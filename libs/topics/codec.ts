/** Turns the values of a topic into bytes and back, in the wire format of Confluent's registry. */
export interface Codec<T> {
  /** Throws `EncodeError` where the value does not fit the schema. */
  encode(value: T): Buffer;
  /** Synchronous once the writer's schema has been seen. Throws or rejects with `DecodeError`. */
  decode(bytes: Buffer): T | Promise<T>;
}
