/** Events, their participants and incidents, and the trees they come in (spec, "Event", "Incident"). */
import { z } from 'zod';
import { digits, empty, int, type Mode, maybe, modeFields, natural, text, yesNo } from './mode.ts';
import { placeFields } from './structure.ts';

export function eventRecords(mode: Mode) {
  const { or, always, optional } = modeFields(mode);
  /** A field that a provider may not know; ours then has the provider's empty value: '' or 0. */
  const textOrNone = or(text, z.null());
  const naturalOrNone = or(natural, z.null());

  /** A detail or a statistic: a list has text, a message numbers and null too. */
  const named = z.looseObject({
    id: natural,
    name: maybe(text),
    short_name: maybe(text),
    value: or(text, z.union([z.number(), z.null()]).optional()),
  });

  /** A result: the spec has text as its value; messages carry numbers and null too. */
  const result = z.looseObject({
    id: natural,
    name: maybe(text),
    short_name: maybe(text),
    value: or(text, z.union([z.number(), z.null()])),
  });

  const participant = z.looseObject({
    id: natural,
    name: textOrNone,
    short_name: maybe(text),
    acronym: maybe(text),
    /** 1 home, 2 away. */
    counter: int,
    results: z.array(result),
    type: maybe(text),
    gender: maybe(text),
    area_id: maybe(natural),
    area_name: maybe(text),
    area_code: maybe(text),
    sport_id: maybe(natural),
    sport_name: maybe(text),
    ut: maybe(natural),
    stats: maybe(z.array(named)),
    subparticipants: maybe(z.array(z.unknown())),
    lineups: maybe(z.array(z.unknown())),
  });

  /** The fields of an event in reduced lists. */
  const simpleFields = {
    id: natural,
    name: textOrNone,
    /** Local form, YYYY-MM-DD HH:MM. */
    start_date: textOrNone,
    status_id: naturalOrNone,
    status_name: always(textOrNone),
    status_type: textOrNone,
    sport_id: naturalOrNone,
    relation_status: maybe(text),
    round_id: maybe(natural),
    round_name: optional(text),
    item_status: maybe(text),
    ut: maybe(natural),
    participants: z.array(participant),
  };
  const simpleEvent = z.looseObject(simpleFields);

  const event = z.looseObject({
    ...simpleFields,
    competition_id: always(natural),
    season_id: always(natural),
    stage_id: always(natural),
    group_id: always(natural),
    relation_status: textOrNone,
    clock_time: natural.nullable(),
    clock_status: text.nullable(),
    bet_status: textOrNone,
    played_time: maybe(natural),
    winner_id: maybe(natural),
    progress_id: maybe(natural),
    neutral_venue: maybe(yesNo),
    coverage_type: optional(text),
    event_stats_lvl_live: optional(text),
    event_stats_lvl: maybe(text),
    latency: maybe(text),
    /** The spec does not show its type; the fixtures have yes or no. */
    verified_result: maybe(z.unknown()),
    series: maybe(z.looseObject({ order: maybe(int), event_ids: maybe(z.array(natural)) })),
    source: maybe(int),
    ft_only: maybe(yesNo),
    scoutsfeed: maybe(yesNo),
    sport_name: maybe(text),
    day: optional(or(text, natural)),
    venue_id: maybe(z.union([natural, empty])),
    slug: maybe(text),
    details: maybe(z.array(named)),
  });

  /** Normalizing accepts numbers as text and '', so parsing does. */
  const number = or(natural, digits);
  const numberOrNone = always(or(natural.nullable(), z.union([digits, empty])));
  const details = always(z.union([z.array(z.unknown()), z.looseObject({})]).nullable());

  /** The provider's `EventIncidentDTO`: the 17 of its 20 fields that the spec names, and any others of a record. */
  const incident = z.looseObject({
    id: text,
    incident_id: number,
    incident_name: always(or(text, z.null())),
    participant_id: numberOrNone,
    participant_name: always(text.nullable()),
    subparticipant_id: numberOrNone,
    subparticipant_name: always(text.nullable()),
    event_status_id: numberOrNone,
    event_status_name: always(text.nullable()),
    /** MM:SS; the spec has it always, the push messages have null before the first whistle. */
    event_time: always(text.nullable()),
    for: always(or(z.enum(['all', 'own', 'rival', 'none']), z.null())),
    confirmation: always(z.enum(['confirmed', 'tbd', 'cancelled']).nullable()),
    attribute_ids: always(z.array(z.unknown()).nullable()),
    properties: details,
    additional_info: details,
    ut: always(number),
    parent_id: always(text.nullable()),
  });

  /** The spec does not show its 43 fields: an incident's record, as known. */
  const importantIncident = incident;

  return { participant, simpleEvent, event, incident, importantIncident };
}

/** Competitions nesting their events. */
export function eventTree<E extends z.ZodType>(mode: Mode, event: E) {
  const fields = placeFields(mode);
  const group = z.looseObject({ ...fields.group, events: z.array(event) });
  const stage = z.looseObject({ ...fields.stage, groups: z.array(group) });
  const season = z.looseObject({ ...fields.season, stages: z.array(stage) });
  return z.looseObject({ ...fields.competition, seasons: z.array(season) });
}

/** One event in its places: `competition.season.stage.group.event`. */
export function eventChain<E extends z.ZodType>(mode: Mode, event: E) {
  const fields = placeFields(mode);
  const group = z.looseObject({ ...fields.group, event });
  const stage = z.looseObject({ ...fields.stage, group });
  const season = z.looseObject({ ...fields.season, stage });
  return z.looseObject({ ...fields.competition, season });
}
