import type { MessageFields } from './message-fields.ts';
import type { SpanAttributes } from './tracer.ts';

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
