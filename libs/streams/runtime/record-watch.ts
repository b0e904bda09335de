import { reasonOf } from '#errors/touchline-error.ts';
import { type MessageFields, spanAttributes } from '#tracing/message-fields.ts';
import type { TraceSpan } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { ConsumedRecord } from '../client/port.ts';
import { logsMessages } from '../log.ts';
import type { PartitionProcessor, RecordCollector } from './processor.ts';
import type { CommitContext } from './stream-topics.ts';

/** An input record with its span; null when its trace is not sampled. */
type WatchedRecord = { readonly record: ConsumedRecord; readonly span: TraceSpan | null };

/** Writes debug lines and trace spans for the input records of one transaction. */
export class RecordWatch {
  readonly #context: CommitContext;
  readonly #processor: PartitionProcessor;
  readonly #partition: number;
  readonly #isLogged: boolean;
  readonly #records: WatchedRecord[] = [];

  private constructor(context: CommitContext, processor: PartitionProcessor, partition: number) {
    this.#context = context;
    this.#processor = processor;
    this.#partition = partition;
    this.#isLogged = logsMessages(context.log);
  }

  /** Returns a watch; null while neither debug lines nor traces are on, so that it costs nothing. */
  static of(context: CommitContext, processor: PartitionProcessor, partition: number): RecordWatch | null {
    if (!logsMessages(context.log) && tracer() === null) return null;
    return new RecordWatch(context, processor, partition);
  }

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

  committed(): void {
    for (const { record, span } of this.#records) {
      span?.end();
      if (this.#isLogged) this.#context.log.debug(this.#fields(record), 'message committed');
    }
  }

  failed(error: unknown): void {
    for (const { span } of this.#records) span?.end(reasonOf(error));
  }

  #fields(record: ConsumedRecord): MessageFields {
    return fieldsOf(this.#context.input, this.#partition, record, this.#processor);
  }
}

/** Returns the log fields of an input record. */
export function fieldsOf(
  topic: string,
  partition: number,
  record: ConsumedRecord,
  processor: PartitionProcessor,
): MessageFields {
  return { ...processor.identify?.(record), topic, partition, offset: record.offset };
}
