/** Competition, season, stage, group: the levels above events (spec, "Competition, season, stage, group"). */
import { z } from 'zod';
import { each } from '#json/records.ts';
import { empty, int, maybe, natural, text, yesNo } from './envelope.ts';

const competition = {
  id: natural,
  name: text,
  ...each(maybe(text), 'short_name', 'mini_name', 'gender', 'type', 'area_name', 'area_type', 'area_code'),
  ...each(maybe(text), 'sport_name', 'slug'),
  ...each(maybe(natural), 'area_id', 'area_sort', 'overall_sort', 'sport_id', 'ut'),
  /** 0 and '' if there is no tour. */
  tour_id: natural.optional(),
  tour_name: text.optional(),
  old_competition_id: maybe(z.union([natural, text])),
  /** '' if there is none. */
  stats_lvl: maybe(z.enum(['bronze', 'silver', 'gold', ''])),
  generate_season_stats: maybe(z.boolean()),
};

const season = {
  id: natural,
  name: text,
  year: maybe(text),
  /** '' is unknown, as in all flags of these levels. */
  actual: maybe(z.union([yesNo, empty])),
  ut: maybe(int),
  old_season_id: maybe(z.union([natural, text])),
  range_level: maybe(natural),
  stats_lvl: maybe(text),
  team_connection: maybe(z.unknown()),
};

const flag = maybe(z.union([yesNo, empty]));
const stage = {
  id: natural,
  name: text,
  ...each(maybe(natural), 'stage_name_id', 'groups_nr', 'sort'),
  ...each(maybe(text), 'start_date', 'end_date'),
  ...each(flag, 'show_standings', 'has_brackets', 'is_current'),
  ut: maybe(int),
  old_stage_id: maybe(z.union([natural, text])),
};

/** A group. A league without groups has one with '' as id, name and time. */
const group = {
  id: z.union([natural, empty]),
  name: text,
  ut: maybe(z.union([int, empty])),
};

/** Fields of each level, without nested records. */
export const levelFields = { competition, season, stage, group };

const none = z.array(z.unknown());
const groupRecord = z.looseObject({ ...group, events: z.array(z.unknown()).optional() });
const stageRecord = z.looseObject({
  ...stage,
  groups: z.array(groupRecord).optional(),
  rounds: none.optional(),
  'standings-types': none.optional(),
  participants: none.optional(),
});
const seasonRecord = z.looseObject({ ...season, stages: z.array(stageRecord).optional() });

/** Records without events, as in the lists of `competitions` and `stages`. */
export const structureRecords = {
  competition: z.looseObject({ ...competition, seasons: z.array(seasonRecord).optional() }),
  season: seasonRecord,
  stage: stageRecord,
  group: groupRecord,
};
