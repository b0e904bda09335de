/** The zod schemas of every record of the contract, as our servers answer it. All keep unknown fields. */
import { z } from 'zod';
import { catalogueRecords } from './records/catalogues.ts';
import { digits, int, maybe, natural, text } from './records/envelope.ts';
import { eventRecords } from './records/events.ts';
import { standingsRecords } from './records/standings.ts';
import { structureRecords } from './records/structure.ts';

/** A whole number; it may be text, as the feed passes on the messages of the provider unchanged. */
const whole = z.union([natural, digits]);

const incident = z.looseObject({
  id: text,
  action: maybe(text),
  incident_id: whole,
  event_time: maybe(text),
  period_timer: maybe(z.looseObject({ direction: maybe(text), time: maybe(z.unknown()) })),
});

const feedMessage = z.looseObject({
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

export const ANSWERS = {
  ...catalogueRecords,
  ...structureRecords,
  ...eventRecords,
  ...standingsRecords,
  feedMessage,
};

/** A record of the contract. */
export type RestRecord<Kind extends keyof typeof ANSWERS> = z.infer<(typeof ANSWERS)[Kind]>;
