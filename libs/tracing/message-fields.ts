import type { SpanAttributes } from './tracer.ts';

/** The fields by which log lines and spans of every service identify a message (docs/guides/operate.md). */
export type MessageFields = {
  /** The provider's id of the message; null for a record without a single cause. */
  readonly message_id?: string | null;
  readonly event_id?: number;
  /** Id of the delivery that contained the message. */
  readonly delivery_id?: string;
  readonly uuid?: string;
  readonly topic?: string;
  readonly partition?: number;
  readonly offset?: number;
};

/** Returns the fields as attributes of a span, with OpenTelemetry's names where it defines them. */
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
