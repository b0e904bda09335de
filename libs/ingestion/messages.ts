/**
 * Schemas of the provider's messages and records (spec, "Events" and "Resources and their fields"; shapes that the spec
 * does not show are those of the provider's own clients). Known fields are checked exactly. Unknown fields are allowed
 * everywhere: parsed values lack them, and normalizing copies them from the original.
 */
import { z } from 'zod';
import {
  INT_MAX,
  identifier,
  LONG_MAX,
  textOrNone,
  valuesOrNone,
  whole,
  wholeOrNone,
  yesNoOrNone,
} from '#contract/values.ts';

/** `event_time`: minutes and seconds of match time; the minutes may exceed 99. '' is empty, like null. */
const EVENT_TIME = /^(?:[0-9]{2,4}:[0-5][0-9])?$/;

/**
 * Maximum `ut`: the last second of the year 9999, Unix seconds. A larger one is in milliseconds or damaged, and by laws
 * 1 to 3 no later record of its incident, not even a cancellation, could ever replace it.
 */
export const UT_MAX = 253_402_300_799;

const action = z.enum(['insert', 'update', 'delete'], 'expected insert, update or delete').nullish();

/** A side of an event; `counter` 1 is home, 2 away. */
const participantSchema = z.object({
  id: whole(LONG_MAX),
  counter: wholeOrNone(INT_MAX),
  type: textOrNone,
  name: textOrNone,
  short_name: textOrNone,
  acronym: textOrNone,
  results: valuesOrNone,
  stats: valuesOrNone,
});

/** A match, as in every message about it. */
const eventSchema = z.object({
  id: whole(LONG_MAX),
  action,
  name: textOrNone,
  sport_id: wholeOrNone(INT_MAX),
  area_id: wholeOrNone(LONG_MAX),
  competition_id: wholeOrNone(LONG_MAX),
  season_id: wholeOrNone(LONG_MAX),
  stage_id: wholeOrNone(LONG_MAX),
  group_id: wholeOrNone(LONG_MAX),
  round_id: wholeOrNone(LONG_MAX),
  round_name: textOrNone,
  start_date: textOrNone,
  status_id: wholeOrNone(INT_MAX),
  status_name: textOrNone,
  status_type: textOrNone,
  relation_status: textOrNone,
  bet_status: textOrNone,
  clock_time: wholeOrNone(INT_MAX),
  clock_status: textOrNone,
  played_time: wholeOrNone(INT_MAX),
  coverage_type: textOrNone,
  neutral_venue: yesNoOrNone,
  latency: textOrNone,
  details: valuesOrNone,
  participants: z.array(participantSchema, 'expected a list').nullish(),
});

/** An incident of a match (spec, "Incident"). */
export const incidentSchema = z.object({
  id: identifier,
  action,
  incident_id: whole(INT_MAX),
  incident_name: textOrNone,
  participant_id: wholeOrNone(LONG_MAX),
  participant_name: textOrNone,
  subparticipant_id: wholeOrNone(LONG_MAX),
  subparticipant_name: textOrNone,
  event_status_id: wholeOrNone(INT_MAX),
  event_status_name: textOrNone,
  event_time: z.string('expected MM:SS or null').regex(EVENT_TIME, 'expected MM:SS or null').nullish(),
  for: z.enum(['all', 'own', 'rival', 'none'], 'expected all, own, rival, none or null').nullish(),
  confirmation: z
    .enum(['confirmed', 'tbd', 'cancelled'], 'expected confirmed, tbd, cancelled or null')
    .nullish(),
  game_break: yesNoOrNone,
  important: yesNoOrNone,
  important_for_trader: yesNoOrNone,
  parent_id: z.union([identifier, z.literal('')], 'expected an incident id or null').nullish(),
  ut: wholeOrNone(UT_MAX),
});

/** The fields of every message. `uuid` replaces a missing `id`. */
const envelope = {
  id: z.union([z.int(), identifier], 'expected a number or text').nullish(),
  uuid: identifier.nullish(),
  /** A whole number; any other value is ignored and rejects no message. */
  source: z.unknown().optional(),
  ut: whole(UT_MAX),
};

/** An incident; it contains its event too. */
export const incidentMessageSchema = z.object({
  ...envelope,
  data: z.object({ incident: incidentSchema, event: eventSchema }, 'expected an object'),
});

/** A match without an incident. */
export const eventMessageSchema = z.object({
  ...envelope,
  data: z.object({ event: eventSchema }, 'expected an object'),
});

const ofEvent = { id: wholeOrNone(LONG_MAX) };

/**
 * The line-ups of a match, and the keep-alive of a live one, sent about every 30 seconds. The spec does not say which
 * field holds the event id: any of the three may.
 */
export const ofEventSchema = z.object({
  ...envelope,
  data: z.object(
    { ...ofEvent, event_id: wholeOrNone(LONG_MAX), event: z.object(ofEvent).nullish() },
    'expected an object',
  ),
});

export type IncidentFields = z.infer<typeof incidentSchema>;
export type Envelope = z.infer<z.ZodObject<typeof envelope>>;
