/** Messages of the pull feed; the push delivers the same (spec, "Feed message"). */
import { z } from 'zod';
import { digits, int, maybe, natural, text } from './fields.ts';

/** A feed passes messages on unchanged: a provider's whole numbers may be text. */
const whole = z.union([natural, digits]);

const incident = z.looseObject({
  id: text,
  action: maybe(text),
  incident_id: whole,
  event_time: maybe(text),
  period_timer: maybe(z.looseObject({ direction: maybe(text), time: maybe(z.unknown()) })),
});

/** The certain fields of a message. */
export const feedMessage = z.looseObject({
  id: natural,
  uuid: maybe(text),
  type: text,
  /** -1 where unknown. */
  source: int,
  ut: whole,
  data: z.looseObject({
    incident: maybe(incident),
    event: maybe(z.looseObject({ id: whole, action: maybe(text) })),
  }),
});
