import { type MessageFields, spanAttributes } from '#tracing/message-fields.ts';
import type { TraceSpan } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { ConsumedRecord } from '../client/port.ts';
import { logsMessages } from '../log.ts';
import type { PartitionProcessor, RecordCollector } from './processor.ts';
import type { TaskContext } from './task-context.ts';

/** An input record, and its span where its trace is sampled. */
type Watched = { readonly record: ConsumedRecord; readonly span: TraceSpan | null };

/** The log lines and the spans of the input records of one transaction, where somebody wants them. */
export class RecordWatch {
  readonly #context: TaskContext;
  readonly #processor: PartitionProcessor;
  readonly #partition: number;
  readonly #isLogged: boolean;
  readonly #records: Watched[] = [];

  private constructor(context: TaskContext, processor: PartitionProcessor, partition: number) {
    this.#context = context;
    this.#processor = processor;
    this.#partition = partition;
    this.#isLogged = logsMessages(context.log);
  }

  /** Null where nobody does, so that it costs nothing. */
  static of(context: TaskContext, processor: PartitionProcessor, partition: number): RecordWatch | null {
    if (!logsMessages(context.log) && tracer() === null) return null;
    return new RecordWatch(context, processor, partition);
  }

  /** The record is processed next: what is collected for it belongs to its trace. */
  begin(record: ConsumedRecord, collector: RecordCollector): void {
    const { input } = this.#context;
    const parent = record.traceparent;
    const span =
      parent === undefined
        ? null
        : (tracer()?.start(`process ${input}`, {
            kind: 'consumer',
            parent,
            attributes: spanAttributes(this.#fields(record)),
          }) ?? null);
    collector.traceparent = span?.traceparent;
    if (span !== null || this.#isLogged) this.#records.push({ record, span });
  }

  /** The transaction of these records is committed. */
  committed(): void {
    for (const { record, span } of this.#records) {
      span?.end();
      if (this.#isLogged) this.#context.log.debug(this.#fields(record), 'message committed');
    }
  }

  /** The transaction failed; its records are processed again. */
  failed(error: unknown): void {
    for (const { span } of this.#records) span?.end(error instanceof Error ? error.message : String(error));
  }

  #fields(record: ConsumedRecord): MessageFields {
    return fieldsOf(this.#context.input, this.#partition, record, this.#processor);
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
