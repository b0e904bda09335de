/** Messages of the pull feed; the push delivers the same (spec, "Feed message"). */
import { z } from 'zod';
import { digits, int, type Mode, maybe, natural, text } from './mode.ts';

/** A feed passes messages on unchanged: a provider's whole numbers may be text. */
const whole = z.union([natural, digits]);

const incident = z.looseObject({
  id: text,
  action: maybe(text),
  incident_id: whole,
  event_time: maybe(text),
  period_timer: maybe(z.looseObject({ direction: maybe(text), time: maybe(z.unknown()) })),
});

const message = z.looseObject({
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

/**
 * The certain fields of a message. Parsing accepts any value: each message is normalized by itself
 * (`../../normalize.ts`), so that an unreadable one does not block the others.
 */
export function feedRecords(mode: Mode) {
  const reading = z.unknown();
  return { feedMessage: mode === 'answer' ? (message as unknown as typeof reading) : reading };
}
