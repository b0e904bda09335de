/** Events, their participants and incidents, and the trees they come in (spec, "Event", "Incident"). */
import { z } from 'zod';
import { each } from '#json/records.ts';
import { empty, int, maybe, natural, text, yesNo } from './envelope.ts';
import { levelFields } from './structure.ts';

/** A result, a detail or a statistic. */
const value = z.looseObject({
  id: natural,
  name: maybe(text),
  short_name: maybe(text),
  value: text,
});

const participant = z.looseObject({
  id: natural,
  name: text,
  ...each(maybe(text), 'short_name', 'acronym', 'type', 'gender', 'area_name', 'area_code', 'sport_name'),
  ...each(maybe(natural), 'area_id', 'sport_id', 'ut'),
  /** 1 home, 2 away. */
  counter: int,
  results: z.array(value),
  stats: maybe(z.array(value)),
  ...each(maybe(z.array(z.unknown())), 'subparticipants', 'lineups'),
});

/** The fields of an event in reduced lists. */
const simpleFields = {
  ...each(natural, 'id', 'status_id', 'sport_id'),
  ...each(text, 'name', 'status_name', 'status_type'),
  /** YYYY-MM-DD HH:MM, UTC. */
  start_date: text,
  ...each(maybe(text), 'relation_status', 'item_status'),
  ...each(maybe(natural), 'round_id', 'ut'),
  round_name: text.optional(),
  /** Our addition: the reasons of the match's guard while it is closed. */
  guard_reasons: z.array(text).optional(),
  participants: z.array(participant),
};
const simpleEvent = z.looseObject(simpleFields);

const event = z.looseObject({
  ...simpleFields,
  ...each(natural, 'competition_id', 'season_id', 'stage_id', 'group_id'),
  ...each(text, 'relation_status', 'bet_status'),
  clock_time: natural.nullable(),
  clock_status: text.nullable(),
  ...each(maybe(natural), 'played_time', 'winner_id', 'progress_id'),
  ...each(maybe(yesNo), 'neutral_venue', 'ft_only', 'scoutsfeed'),
  ...each(text.optional(), 'coverage_type', 'event_stats_lvl_live', 'day'),
  ...each(maybe(text), 'event_stats_lvl', 'latency', 'sport_name', 'slug'),
  /** The spec does not show its type; the fixtures have yes or no. */
  verified_result: maybe(z.unknown()),
  series: maybe(z.looseObject({ order: maybe(int), event_ids: maybe(z.array(natural)) })),
  source: maybe(int),
  venue_id: maybe(z.union([natural, empty])),
  details: maybe(z.array(value)),
});

const details = z.union([z.array(z.unknown()), z.looseObject({})]).nullable();

/** The provider's `EventIncidentDTO`: the 17 of its 20 fields that the spec names, and any other fields. */
const incident = z.looseObject({
  id: text,
  ...each(natural, 'incident_id', 'ut'),
  incident_name: text,
  ...each(natural.nullable(), 'participant_id', 'subparticipant_id', 'event_status_id'),
  ...each(text.nullable(), 'participant_name', 'subparticipant_name', 'event_status_name', 'parent_id'),
  /** MM:SS. The spec has it always; pushed messages have null before the first whistle. */
  event_time: text.nullable(),
  for: z.enum(['all', 'own', 'rival', 'none']),
  confirmation: z.enum(['confirmed', 'tbd', 'cancelled']).nullable(),
  attribute_ids: z.array(z.unknown()).nullable(),
  ...each(details, 'properties', 'additional_info'),
  /** Our addition: the provider's latest list omits the incident, and nothing proves that it was removed. */
  missing: z.literal('yes').optional(),
});

function treeOf<E extends z.ZodType>(event: E) {
  const group = z.looseObject({ ...levelFields.group, events: z.array(event) });
  const stage = z.looseObject({ ...levelFields.stage, groups: z.array(group) });
  const season = z.looseObject({ ...levelFields.season, stages: z.array(stage) });
  return z.looseObject({ ...levelFields.competition, seasons: z.array(season) });
}

/** Returns the schema of one event with its incidents, in its tree: `competition.season.stage.group.event`. */
function eventChain() {
  const detailed = event.extend({ events_incidents: incident.array() });
  const group = z.looseObject({ ...levelFields.group, event: detailed });
  const stage = z.looseObject({ ...levelFields.stage, group });
  const season = z.looseObject({ ...levelFields.season, stage });
  return z.looseObject({ ...levelFields.competition, season });
}

export const eventRecords = {
  participant,
  simpleEvent,
  event,
  incident,
  eventTree: treeOf(event),
  simpleTree: treeOf(simpleEvent),
  eventChain: eventChain(),
};
