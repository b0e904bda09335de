import type { ConsumedRecord } from '../client/port.ts';
import { logsMessages, type MessageFields } from '../log.ts';
import type { PartitionProcessor } from './processor.ts';
import type { TaskContext } from './task-context.ts';

/** Writes what becomes of the input records of one transaction, where somebody wants to know. */
export class RecordWatch {
  readonly #context: TaskContext;
  readonly #processor: PartitionProcessor;
  readonly #partition: number;
  readonly #records: ConsumedRecord[] = [];

  private constructor(context: TaskContext, processor: PartitionProcessor, partition: number) {
    this.#context = context;
    this.#processor = processor;
    this.#partition = partition;
  }

  /** Null where nobody does, so that it costs nothing. */
  static of(context: TaskContext, processor: PartitionProcessor, partition: number): RecordWatch | null {
    return logsMessages(context.log) ? new RecordWatch(context, processor, partition) : null;
  }

  /** The record is processed next. */
  begin(record: ConsumedRecord): void {
    this.#records.push(record);
  }

  /** The transaction of these records is committed. */
  committed(): void {
    const { input: topic, log } = this.#context;
    for (const record of this.#records)
      log.debug(fieldsOf(topic, this.#partition, record, this.#processor), 'message committed');
  }
}

/** The fields of an input record in log lines. */
export function fieldsOf(
  topic: string,
  partition: number,
  record: ConsumedRecord,
  processor: PartitionProcessor,
): MessageFields {
  return { ...processor.identify?.(record), topic, partition, offset: record.offset };
}
