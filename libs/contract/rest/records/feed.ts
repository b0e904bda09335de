/** Messages of the feed; webhooks deliver the same (spec, "Feed message"). */
import { z } from 'zod';
import { digits, int, maybe, natural, text } from './fields.ts';

/** A whole number; it may be text, as the feed passes on the messages of the provider unchanged. */
const whole = z.union([natural, digits]);

const incident = z.looseObject({
  id: text,
  action: maybe(text),
  incident_id: whole,
  event_time: maybe(text),
  period_timer: maybe(z.looseObject({ direction: maybe(text), time: maybe(z.unknown()) })),
});

/** A message, with the fields that every message has. */
export const feedMessage = z.looseObject({
  id: natural,
  uuid: maybe(text),
  type: text,
  /** -1 is unknown. */
  source: int,
  ut: whole,
  data: z.looseObject({
    incident: maybe(incident),
    event: maybe(z.looseObject({ id: whole, action: maybe(text) })),
  }),
});
