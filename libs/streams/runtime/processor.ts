import { PoisonError } from '#errors/poison-error.ts';
import type { Decoder } from '#topics/codec.ts';
import { DecodeError } from '#topics/errors.ts';
import type { Cause } from '#topics/generated/types.ts';
import type { ConsumedRecord, OutputRecord } from '../client/port.ts';
import { StreamError } from '../errors.ts';
import type { MessageFields } from '../log.ts';

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

/** What names the message in an encoded value; nothing where it cannot be decoded at once. */
export function identify<T>(
  codec: Decoder<T>,
  value: Buffer | null,
  fields: (decoded: T) => MessageFields,
): MessageFields {
  if (value === null) return {};
  try {
    const decoded = codec.decode(value);
    if (!(decoded instanceof Promise)) return fields(decoded);
    decoded.catch(() => {});
  } catch {
    // A dead letter says why.
  }
  return {};
}

/** What names the message that caused a value of a match. */
export function identifyByCause(
  codec: Decoder<{ readonly cause: Pick<Cause, 'message_id'>; readonly event_id: number }>,
  value: Buffer | null,
): MessageFields {
  return identify(codec, value, ({ cause, event_id }) => ({ message_id: cause.message_id, event_id }));
}

/** The records of a task's next commit, in its own partition by default. */
export class RecordCollector {
  readonly #partition: number;
  readonly #records: OutputRecord[] = [];
  #bytes = 0;
  /** The trace that the next records belong to: that of the input record in process; of a flush, what `flush` sets. */
  traceparent: string | undefined;

  constructor(partition: number) {
    this.#partition = partition;
  }

  /** Adds a record; `topic` is the name on the broker. */
  add(topic: string, key: Buffer | string, value: Buffer | null, partition: number = this.#partition): void {
    const { traceparent } = this;
    this.#records.push(
      traceparent === undefined
        ? { topic, partition, key, value }
        : { topic, partition, key, value, traceparent },
    );
    this.#bytes += value?.length ?? 0;
  }

  /** Everything added so far, in order. */
  get records(): readonly OutputRecord[] {
    return this.#records;
  }

  /** Bytes of the values added so far. */
  get bytes(): number {
    return this.#bytes;
  }
}

/**
 * What a service does with one partition of its input. An instance lives from a claim to the release of the partition or
 * the first failure, with `isKept` to the first that says nothing of the broker; its state is rebuilt from the changelogs.
 */
export interface PartitionProcessor {
  /**
   * Restores records of a changelog (name on the broker), oldest first; a later record of a key replaces an earlier one.
   * Keys and values are views of the answer: copy what is stored.
   */
  restore(topic: string, records: readonly ConsumedRecord[]): void | Promise<void>;
  /**
   * Processes one input record. Throws `PoisonError`, before any change, for a record that can never be processed: it goes
   * to dead-letters, and the next one is processed. Throws `StreamError` UNAVAILABLE where a dependency is missing: the
   * partition is claimed again until it is there. After any other error the partition is rebuilt and the record retried
   * once, then it is poison too.
   */
  process(record: ConsumedRecord, collector: RecordCollector): void | Promise<void>;
  /** Names the message of an input record. Called for log lines and spans only. Default: nothing is known. */
  identify?(record: ConsumedRecord): MessageFields;
  /** Whether so much has changed that it must be committed before the next record. Default: no. */
  isFull?(): boolean;
  /** The end of a batch: adds the records that a transaction has once, however many input records it covers. */
  flush(collector: RecordCollector): void;
  /** The batch is committed. */
  committed(): void;
  /** Every readable record is processed and committed. Called repeatedly while the input is idle. */
  caughtUp?(): void;
  /**
   * Whether the state may outlive a failure of broker or network, until the partition is claimed again here: only `restore`,
   * `process` and `flush` change it, and nothing outside acts on it. Default: it is restored.
   */
  readonly isKept?: boolean;
  /** Entries of state held, for the metrics. */
  size(): number;
  close(): void;
}
