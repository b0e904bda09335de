/** The catalogues and the structure of a competition. They do not change while matches are played. */

import type { RestRecord } from '#contract/rest/records.ts';
import { type NodeLookup, type TreeLevel, type TreeStage, withList } from '#contract/rest/tree.ts';
import { TABLE_TYPES } from '#domain/standings/columns.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { SOCCER, STATUSES_OF_SOCCER } from '#soccer/soccer.ts';
import { slugOf, slugWords } from '#views/render/fields.ts';
import type { Dataset } from '../../../data/dataset.ts';
import { yesNo } from '../records.ts';

/** Returns the records of the catalogues, all written at `ut`, Unix seconds. */
export function createCatalogues({ competition: { area } }: Dataset, ut: number) {
  return {
    sports: [
      {
        id: SOCCER,
        name: 'Soccer',
        url: 'soccer',
        active: 'yes',
        has_timer: 'yes',
        template: 'default',
        incidents_positions: 'no',
        ut,
      },
    ],
    areas: [{ id: area.id, area_code: area.code, name: area.name, parent_area_id: '', ut }],
    languages: [{ id: 1, code: 'en', name: 'English', original_name: 'English', active: 'yes', ut }],
    statuses: [...STATUSES_OF_SOCCER.values()].map(({ id, name, shortName: short_name, type }) => ({
      id,
      name,
      short_name,
      type,
      ut,
    })),
    incidents: [...INCIDENT_TYPES_OF_SOCCER.values()].map((type) => ({
      id: type.id,
      name: type.name,
      code: slugWords(type.name),
      important: yesNo(type.important),
      important_for_trader: yesNo(type.importantForTrader),
      sport_id: SOCCER,
      type: type.type,
      for: type.for,
      group: null,
      details: 'no',
      game_break: yesNo(type.gameBreak),
      ut,
    })),
    standingsTypes: [...TABLE_TYPES.values()]
      .filter(({ type_id }) => type_id !== null)
      .map(({ type_id, type_name, columns }) => ({
        id: type_id,
        name: type_name,
        type_id,
        type_name,
        ut,
        columns: columns
          .filter(({ id }) => id !== null)
          .map(({ id, name, short_name, code }) => ({ id, name, short_name, code })),
      })),
  };
}

/** A competition or a stage: its ids, when it was written (Unix seconds), and its record with the nested records. */
type ListedNode = TreeStage & { readonly area_id: number; readonly ut: number };

/** Returns the competition and stages of a data set, written at `ut`, Unix seconds. `lookup` returns records without nested ones. */
export function createTree(
  { competition: { competition, season, area, stages }, matches }: Dataset,
  ut: number,
) {
  const records = new Map<string, string>();
  const keep = <L extends TreeLevel>(level: L, record: RestRecord<L>): string => {
    const text = JSON.stringify(record);
    records.set(`${level}/${record.id}`, text);
    return text;
  };
  const within = { competition_id: competition.id, season_id: season.id, area_id: area.id, ut };
  const listed = stages.map(({ id, name, knockout, groups }, n): ListedNode => {
    const dates = matches.filter(({ stage }) => stage === id).map(({ date }) => date.slice(0, 10));
    const record = {
      id,
      name,
      start_date: dates[0] ?? null,
      end_date: dates.at(-1) ?? null,
      // The simulator has no tables.
      show_standings: 'no',
      has_brackets: yesNo(knockout),
      groups_nr: groups.length,
      sort: n + 1,
      ut,
    } as const;
    const inside = groups.map((group) => keep('group', { id: group.id, name: group.name, ut }));
    return { ...within, text: withList(keep('stage', record), 'groups', inside) };
  });
  const seasonRecord = {
    id: season.id,
    name: season.name,
    year: season.name.split(' ').at(-1) ?? '',
    actual: 'yes',
    range_level: 1,
    stats_lvl: 'bronze',
    ut,
  } as const;
  const competitionRecord = {
    id: competition.id,
    name: competition.name,
    short_name: competition.name,
    gender: 'male',
    type: stages.some(({ knockout }) => knockout) ? 'country_cup' : 'country_league',
    area_id: area.id,
    area_name: area.name,
    area_code: area.code,
    area_type: 'country',
    area_sort: 1,
    overall_sort: 1,
    sport_id: SOCCER,
    sport_name: 'Soccer',
    tour_id: 0,
    tour_name: '',
    slug: slugOf(competition.name, competition.id),
    stats_lvl: 'bronze',
    generate_season_stats: false,
    ut,
  } as const;
  const stageTexts = listed.map(({ text }) => text);
  const seasonText = withList(keep('season', seasonRecord), 'stages', stageTexts);
  const lookup: NodeLookup = (level, id) => records.get(`${level}/${id}`) ?? null;
  const text = withList(keep('competition', competitionRecord), 'seasons', [seasonText]);
  return { competition: { ...within, text }, stages: listed, lookup };
}
