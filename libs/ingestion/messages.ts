/**
 * What the provider pushes and feeds (spec, "Events" and "Resources and their fields"; where the spec does not show a
 * shape, as the provider's own clients have it). A known field is checked exactly, an unknown one is allowed
 * everywhere: it is kept by normalizing, which copies from the original; parsed values carry known fields only.
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

/** `event_time`: minutes and seconds of match time; the minutes may exceed 99. '' is none, as null is. */
const EVENT_TIME = /^(?:[0-9]{2,4}:[0-5][0-9])?$/;

const action = z.enum(['insert', 'update', 'delete'], 'expected insert, update or delete').nullish();

/** A side of an event; `counter` 1 is home, 2 away. */
export const participantSchema = z.object({
  id: whole(LONG_MAX),
  counter: wholeOrNone(INT_MAX),
  type: textOrNone,
  name: textOrNone,
  short_name: textOrNone,
  acronym: textOrNone,
  results: valuesOrNone,
  stats: valuesOrNone,
});

/** A match, as it rides in every message about it. */
export const eventSchema = z.object({
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

/** Something that happened in a match (spec, "Incident"). */
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
  ut: wholeOrNone(LONG_MAX),
});

/** What every message has. `uuid` stands for `id` where that is missing. */
const envelope = {
  id: z.union([z.int(), identifier], 'expected a number or text').nullish(),
  uuid: identifier.nullish(),
  /** A whole number; anything else says nothing, and is no reason to refuse a message. */
  source: z.unknown().optional(),
  ut: whole(LONG_MAX),
};

/** An incident; it carries its event too. */
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

/** The sign of life of a live match, about every 30 seconds. Where its event is told is not specified: see `eventIdOf`. */
export const keepAliveSchema = z.object({
  ...envelope,
  data: z.object(
    { ...ofEvent, event_id: wholeOrNone(LONG_MAX), event: z.object(ofEvent).nullish() },
    'expected an object',
  ),
});

/** The line-ups of a match. */
export const lineupsSchema = keepAliveSchema;

export type IncidentFields = z.infer<typeof incidentSchema>;
export type EventFields = z.infer<typeof eventSchema>;
export type ParticipantFields = z.infer<typeof participantSchema>;
