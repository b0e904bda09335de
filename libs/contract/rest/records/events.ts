/** Events, their participants and incidents, and the trees they come in (spec, "Event", "Incident"). */
import { z } from 'zod';
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
  short_name: maybe(text),
  acronym: maybe(text),
  /** 1 home, 2 away. */
  counter: int,
  results: z.array(value),
  type: maybe(text),
  gender: maybe(text),
  area_id: maybe(natural),
  area_name: maybe(text),
  area_code: maybe(text),
  sport_id: maybe(natural),
  sport_name: maybe(text),
  ut: maybe(natural),
  stats: maybe(z.array(value)),
  subparticipants: maybe(z.array(z.unknown())),
  lineups: maybe(z.array(z.unknown())),
});

/** The fields of an event in reduced lists. */
const simpleFields = {
  id: natural,
  name: text,
  /** YYYY-MM-DD HH:MM, UTC. */
  start_date: text,
  status_id: natural,
  status_name: text,
  status_type: text,
  sport_id: natural,
  relation_status: maybe(text),
  round_id: maybe(natural),
  round_name: text.optional(),
  item_status: maybe(text),
  ut: maybe(natural),
  /** Our addition: the reasons of the match's guard while it is closed. */
  guard_reasons: z.array(text).optional(),
  participants: z.array(participant),
};
const simpleEvent = z.looseObject(simpleFields);

const event = z.looseObject({
  ...simpleFields,
  competition_id: natural,
  season_id: natural,
  stage_id: natural,
  group_id: natural,
  relation_status: text,
  clock_time: natural.nullable(),
  clock_status: text.nullable(),
  bet_status: text,
  played_time: maybe(natural),
  winner_id: maybe(natural),
  progress_id: maybe(natural),
  neutral_venue: maybe(yesNo),
  coverage_type: text.optional(),
  event_stats_lvl_live: text.optional(),
  event_stats_lvl: maybe(text),
  latency: maybe(text),
  /** The spec does not show its type; the fixtures have yes or no. */
  verified_result: maybe(z.unknown()),
  series: maybe(z.looseObject({ order: maybe(int), event_ids: maybe(z.array(natural)) })),
  source: maybe(int),
  ft_only: maybe(yesNo),
  scoutsfeed: maybe(yesNo),
  sport_name: maybe(text),
  day: text.optional(),
  venue_id: maybe(z.union([natural, empty])),
  slug: maybe(text),
  details: maybe(z.array(value)),
});

const details = z.union([z.array(z.unknown()), z.looseObject({})]).nullable();

/** The provider's `EventIncidentDTO`: the 17 of its 20 fields that the spec names, and any other fields. */
const incident = z.looseObject({
  id: text,
  incident_id: natural,
  incident_name: text,
  participant_id: natural.nullable(),
  participant_name: text.nullable(),
  subparticipant_id: natural.nullable(),
  subparticipant_name: text.nullable(),
  event_status_id: natural.nullable(),
  event_status_name: text.nullable(),
  /** MM:SS. The spec has it always; pushed messages have null before the first whistle. */
  event_time: text.nullable(),
  for: z.enum(['all', 'own', 'rival', 'none']),
  confirmation: z.enum(['confirmed', 'tbd', 'cancelled']).nullable(),
  attribute_ids: z.array(z.unknown()).nullable(),
  properties: details,
  additional_info: details,
  ut: natural,
  parent_id: text.nullable(),
  /** Our addition: the provider's latest list omits the incident, and nothing proves that it was removed. */
  missing: z.literal('yes').optional(),
});

/** The spec does not show its 43 fields: it has those of an incident. */
const importantIncident = incident;

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
  importantIncident,
  eventTree: treeOf(event),
  simpleTree: treeOf(simpleEvent),
  eventChain: eventChain(),
};
