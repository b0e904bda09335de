import { reasonOf } from '#errors/touchline-error.ts';
import { type MessageFields, spanAttributes } from '#tracing/message-fields.ts';
import type { TraceSpan } from '#tracing/tracer.ts';
import { tracer } from '#tracing/tracing.ts';
import type { ConsumedRecord } from '../client/port.ts';
import { logsMessages } from '../log.ts';
import type { PartitionProcessor, RecordCollector } from './processor.ts';
import type { TaskContext } from './stream-topics.ts';

/** Writes debug lines and trace spans for the input records of one transaction. */
export class RecordWatch {
  readonly #of: Pick<TaskContext, 'input' | 'log'> & {
    readonly processor: PartitionProcessor;
    readonly partition: number;
  };
  readonly #isLogged: boolean;
  /** Input records, each with its span; null when its trace is not sampled. */
  #records: { readonly record: ConsumedRecord; readonly span: TraceSpan | null }[] = [];

  constructor(
    { input, log }: Pick<TaskContext, 'input' | 'log'>,
    processor: PartitionProcessor,
    partition: number,
  ) {
    this.#of = { input, log, processor, partition };
    this.#isLogged = logsMessages(log);
  }

  begin(record: ConsumedRecord, collector: RecordCollector): void {
    const { traceparent: parent } = record;
    const trace = parent === undefined ? null : tracer();
    const span =
      trace?.start(`process ${this.#of.input}`, {
        kind: 'consumer',
        parent,
        attributes: spanAttributes(this.fields(record)),
      }) ?? null;
    collector.traceparent = span?.traceparent;
    if (span !== null || this.#isLogged) this.#records.push({ record, span });
  }

  committed(): void {
    for (const { record, span } of this.#records) {
      span?.end();
      if (this.#isLogged) this.#of.log.debug(this.fields(record), 'message committed');
    }
  }

  /** Ends the spans. Nothing more is written of these records, should a later claim commit them. */
  failed(error: unknown): void {
    for (const { span } of this.#records) span?.end(reasonOf(error));
    this.#records = [];
  }

  /** Returns the log fields of an input record. */
  fields(record: ConsumedRecord): MessageFields {
    const { input: topic, partition, processor } = this.#of;
    return { ...processor.identify?.(record), topic, partition, offset: record.offset };
  }
}
