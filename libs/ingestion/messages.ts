/**
 * The fields of the provider's messages and records by kind (spec, "Events" and "Resources and their fields"; shapes that the
 * spec does not show are those of the provider's own clients), and the schemas of their exact form. Unknown fields are allowed
 * everywhere: parsed values lack them, and normalizing copies them from the original.
 */
import { z } from 'zod';
import { INT_MAX, LONG_MAX, valuesOrNone } from '#json/values.ts';
import {
  confirmation,
  essential,
  eventId,
  matchTime,
  messageId,
  number,
  numberOrNone,
  oneOf,
  onlyText,
  text,
  textId,
  textIdOrNone,
  value,
  word,
  yesNo,
} from './kinds.ts';
import { exactly, listOrNone, recordOrNone } from './records.ts';

/** Maximum `ut`: the last second of the year 9999, Unix seconds. A larger one is in milliseconds or damaged. */
export const UT_MAX = 253_402_300_799;

const action = oneOf(['insert', 'update', 'delete'], 'expected insert, update or delete');

/** A list of results, statistics or details. */
const values = listOrNone(valuesOrNone, { id: number(INT_MAX), value });

/** A side of an event; `counter` 1 is home, 2 away. */
const participantFields = {
  id: number(LONG_MAX),
  counter: essential(numberOrNone(INT_MAX)),
  type: text,
  name: text,
  short_name: text,
  acronym: text,
  results: values,
  stats: values,
};

/** A match, as in every message about it. */
export const eventFields = {
  id: eventId(),
  action,
  name: text,
  sport_id: numberOrNone(INT_MAX),
  area_id: numberOrNone(LONG_MAX),
  competition_id: numberOrNone(LONG_MAX),
  season_id: numberOrNone(LONG_MAX),
  stage_id: numberOrNone(LONG_MAX),
  group_id: numberOrNone(LONG_MAX),
  round_id: numberOrNone(LONG_MAX),
  round_name: text,
  start_date: onlyText,
  status_id: numberOrNone(INT_MAX),
  status_name: text,
  status_type: word('live', 'scheduled', 'finished', 'cancelled', 'interrupted', 'deleted', 'other'),
  relation_status: word('not_started', 'in_progress', 'finished', '30_min_left', '5_min_left'),
  bet_status: word('active', 'suspended', 'inactive'),
  item_status: word('active', 'deleted'),
  clock_time: numberOrNone(INT_MAX),
  clock_status: word('running', 'stopped'),
  played_time: numberOrNone(INT_MAX),
  coverage_type: text,
  neutral_venue: yesNo,
  latency: text,
  ut: numberOrNone(UT_MAX),
  details: values,
  participants: listOrNone(
    z.array(exactly(participantFields), 'expected a list').nullish(),
    participantFields,
  ),
};

/** An incident of a match (spec, "Incident"). */
export const incidentFields = {
  id: textId,
  action,
  incident_id: number(INT_MAX),
  incident_name: text,
  participant_id: numberOrNone(LONG_MAX),
  participant_name: text,
  subparticipant_id: numberOrNone(LONG_MAX),
  subparticipant_name: text,
  event_status_id: numberOrNone(INT_MAX),
  event_status_name: text,
  event_time: matchTime,
  for: oneOf(['all', 'own', 'rival', 'none'], 'expected all, own, rival, none or null'),
  confirmation,
  game_break: yesNo,
  important: yesNo,
  important_for_trader: yesNo,
  parent_id: textIdOrNone,
  ut: numberOrNone(UT_MAX),
};

/** The fields of every message. `uuid` replaces a missing or unreadable `id`. */
export const envelopeFields = { id: messageId, uuid: textIdOrNone, ut: number(UT_MAX) };

const ofEvent = { id: numberOrNone(LONG_MAX) };

/**
 * The data of the line-ups of a match, and of the keep-alive of a live one, sent about every 30 seconds. The spec does not say
 * which field holds the event id: any of the three may.
 */
export const ofEventFields = { ...ofEvent, event_id: numberOrNone(LONG_MAX), event: recordOrNone(ofEvent) };

const envelope = {
  ...exactly(envelopeFields).shape,
  /** A whole number; any other value is ignored and rejects no message. */
  source: z.unknown().optional(),
  /** Of an event that the poller read: `api.timestamp` of the answer, Unix seconds. The provider sends none. */
  answered_at: z.unknown().optional(),
};

export const incidentSchema = exactly(incidentFields);
const eventSchema = exactly(eventFields);

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

/** The line-ups or the keep-alive of a match. */
export const ofEventSchema = z.object({ ...envelope, data: exactly(ofEventFields) });

export type ExactEvent = z.infer<typeof eventSchema>;
export type IncidentFields = z.infer<typeof incidentSchema>;
export type Envelope = z.infer<z.ZodObject<typeof envelope>>;
