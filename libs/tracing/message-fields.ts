import type { SpanAttributes } from './tracer.ts';
/** The fields by which log lines and spans name a message, alike in every service (docs/guides/operate.md). */
export type MessageFields = {
  /** The provider's id of the message; null where a record has no single cause. */
  readonly message_id?: string | null;
  readonly event_id?: number;
  /** The delivery that it arrived in. */
  readonly delivery_id?: string;
  /** The id of a webhook message. */
  readonly uuid?: string;
  /** Name on the broker. */
  readonly topic?: string;
  readonly partition?: number;
  readonly offset?: number;
};

/** The same as attributes of a span, by the names of OpenTelemetry where it has some. */
export function spanAttributes(fields: MessageFields): SpanAttributes {
  return {
    message_id: fields.message_id,
    event_id: fields.event_id,
    'messaging.system': 'kafka',
    'messaging.destination.name': fields.topic,
    'messaging.destination.partition.id':
      fields.partition === undefined ? undefined : String(fields.partition),
    'messaging.kafka.offset': fields.offset,
  };
}
