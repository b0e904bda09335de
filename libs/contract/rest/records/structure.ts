/** Competition, season, stage, group: the places of events (spec, "Competition, season, stage, group"). */
import { z } from 'zod';
import { digits, empty, int, type Mode, maybe, modeFields, natural, text, yesNo } from './mode.ts';

/** Fields of each level without the nested ones. */
export function placeFields(mode: Mode) {
  const { or, always } = modeFields(mode);
  /** A whole number that a provider writes as text in `livescore`. */
  const number = or(natural, digits);

  const competition = {
    id: natural,
    name: text,
    short_name: maybe(text),
    mini_name: maybe(text),
    gender: maybe(text),
    type: maybe(text),
    area_id: maybe(number),
    area_name: maybe(text),
    area_type: maybe(text),
    area_sort: maybe(number),
    area_code: maybe(text),
    overall_sort: maybe(number),
    sport_id: maybe(number),
    sport_name: maybe(text),
    /** 0 and '' where there is no tour. */
    tour_id: or(natural.optional(), maybe(z.union([digits, empty]))),
    tour_name: or(text.optional(), z.null()),
    ut: maybe(number),
    old_competition_id: maybe(z.union([natural, text])),
    slug: maybe(text),
    /** bronze, silver, gold; '' where there is none. */
    stats_lvl: maybe(z.enum(['bronze', 'silver', 'gold', ''])),
    generate_season_stats: maybe(z.boolean()),
  };

  const season = {
    id: natural,
    name: text,
    year: maybe(text),
    /** '' where it is unknown, as in all flags of places. */
    actual: maybe(z.union([yesNo, empty])),
    ut: maybe(int),
    old_season_id: maybe(z.union([natural, text])),
    range_level: maybe(natural),
    stats_lvl: maybe(text),
    team_connection: maybe(z.unknown()),
  };

  /** Parsing also accepts '' for the numbers of an unknown stage. */
  const count = maybe(or(natural, empty));
  const flag = maybe(z.union([yesNo, empty]));
  const stage = {
    id: or(natural, empty),
    name: text,
    stage_name_id: count,
    start_date: maybe(text),
    end_date: maybe(text),
    show_standings: flag,
    has_brackets: flag,
    groups_nr: count,
    sort: count,
    is_current: flag,
    ut: maybe(or(int, empty)),
    old_stage_id: maybe(z.union([natural, text])),
  };

  /** A league without groups has one group with '' as id, name and time. */
  const group = {
    id: z.union([natural, empty]),
    name: always(text),
    ut: maybe(z.union([int, empty])),
  };

  return { competition, season, stage, group };
}

/** Records of the structure alone, as in the lists of `competitions`, `stages` and the like. */
export function structureRecords(mode: Mode) {
  const { or } = modeFields(mode);
  const fields = placeFields(mode);
  const none = z.array(z.unknown());

  const group = z.looseObject({ ...fields.group, events: z.array(z.unknown()).optional() });
  const stage = z.looseObject({
    ...fields.stage,
    groups: z.array(group).optional(),
    rounds: none.optional(),
    'standings-types': none.optional(),
    participants: none.optional(),
  });
  const season = z.looseObject({ ...fields.season, stages: z.array(stage).optional() });
  const competition = z.looseObject({
    ...fields.competition,
    seasons: or(z.array(season).optional(), z.looseObject({})),
  });
  /** One stage in its places: a chain without an event. */
  const stageChain = z.looseObject({
    ...fields.competition,
    season: z.looseObject({ ...fields.season, stage: stage.optional() }),
  });

  return { competition, season, stage, group, stageChain };
}
