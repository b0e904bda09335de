/** Kinds of values in our answers that no source shows, with their reasons. */
import type { Kind } from './walk.ts';

type Reason = { readonly kinds: readonly Kind[]; readonly fields: readonly string[]; readonly why: string };

export const UNLISTED: readonly Reason[] = [
  {
    why: 'its name is unknown: catalogues and messages have names, matches alone have ids only',
    kinds: ['""'],
    fields: [
      'competition.name',
      'season.name',
      'stage.name',
      'row.name',
      'standings.object_name',
      'standings_entry.object_name',
    ],
  },
  {
    why: 'no catalogue was read that tells it: the competition, season or stage is known from events alone',
    kinds: ['""', '0'],
    fields: [
      'competition.short_name',
      'competition.mini_name',
      'competition.gender',
      'competition.type',
      'competition.area_id',
      'competition.area_name',
      'competition.area_type',
      'competition.area_code',
      'competition.slug',
      'competition.ut',
      'season.actual',
      'season.range_level',
      'season.stats_lvl',
      'season.ut',
      'stage.has_brackets',
      'stage.sort',
      'stage.ut',
      'group.ut',
    ],
  },
  {
    why: 'in the messages of the feed, and kept like every field of an event',
    kinds: ['integer', '0', 'text', 'list'],
    fields: [
      'event.area_id',
      'event.gender',
      'event.tour_id',
      'feed_event.tour_id',
      'participant.subparticipants',
    ],
  },
  {
    why: 'the provider shows it where there is none; its published client takes a number or text too',
    kinds: ['integer', 'text'],
    fields: [
      'event.progress_id',
      'feed_event.progress_id',
      'feed_incident.info',
      'incident.info',
      'stage.groups_nr',
    ],
  },
  {
    why: 'an incident of the match itself is of no side: the provider’s published client takes null there',
    kinds: ['null'],
    fields: [
      'feed_incident.participant_id',
      'feed_incident.participant_name',
      'incident.participant_id',
      'incident.participant_name',
    ],
  },
  {
    why: 'the provider shows it for no person, result or season, which have none of their own',
    kinds: ['""', '0'],
    fields: ['row.participant_acronym', 'row.area_id', 'row.area_name', 'standings.stage_id'],
  },
  {
    why: 'the provider shows it for teams, which are of no club; it is made as that of a participant is',
    kinds: ['text'],
    fields: ['row.subparticipant_slug'],
  },
  {
    why: 'there is nothing to take it of, such as the form of a team that has not played',
    kinds: ['""'],
    fields: ['cell.value'],
  },
  {
    why: 'our addition, only where there is a doubt: why the guard is closed, and that the latest list omits an incident',
    kinds: ['list', 'text'],
    fields: ['event.guard_reasons', 'incident.missing'],
  },
  {
    why: 'of a type that the specification names and no source gives an id: columns are read by code',
    kinds: ['0'],
    fields: ['standings_type.id', 'type_column.id'],
  },
  {
    why: 'whose it is, beside what the provider shows: lists are asked for by it',
    kinds: ['integer'],
    fields: ['standings_type.sport_id', 'standings_entry.competition_id', 'standings_entry.season_id'],
  },
  {
    why: 'no catalogue was read that tells it: the area is one of those that are known without one',
    kinds: ['""'],
    fields: ['area.area_code', 'area.parent_area_id'],
  },
];
