/** The catalogues and the structure of a competition. They do not change while matches are played. */

import type { RestRecord } from '#contract/rest/records.ts';
import { type NodeLookup, type TreeLevel, type TreeStage, withList } from '#contract/rest/tree.ts';
import { TABLE_TYPES } from '#domain/standings/columns.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { SOCCER, STATUSES_OF_SOCCER } from '#soccer/soccer.ts';
import { slugOf, slugWords } from '#views/render/fields.ts';
import type { Dataset } from '../../../data/dataset.ts';

const yesNo = (flag: boolean): 'yes' | 'no' => (flag ? 'yes' : 'no');

/** Returns the records of the catalogues, all written at `ut`, Unix seconds. */
export function createCatalogues({ competition: { area } }: Dataset, ut: number) {
  const statuses = [...STATUSES_OF_SOCCER.values()].map(({ id, name, shortName, type }) => ({
    id,
    name,
    short_name: shortName,
    type,
    ut,
  }));
  const incidents = [...INCIDENT_TYPES_OF_SOCCER.values()].map((type) => ({
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
  }));
  const standingsTypes = [...TABLE_TYPES.values()].flatMap(({ type_id, type_name, columns }) =>
    type_id === null
      ? []
      : [
          {
            id: type_id,
            name: type_name,
            type_id,
            type_name,
            ut,
            columns: columns.flatMap(({ id, name, short_name, code }) =>
              id === null ? [] : [{ id, name, short_name, code }],
            ),
          },
        ],
  );
  const sport = {
    id: SOCCER,
    name: 'Soccer',
    url: 'soccer',
    active: 'yes',
    has_timer: 'yes',
    template: 'default',
    incidents_positions: 'no',
    ut,
  };
  return {
    sports: [sport],
    areas: [{ id: area.id, area_code: area.code, name: area.name, parent_area_id: '', ut }],
    languages: [{ id: 1, code: 'en', name: 'English', original_name: 'English', active: 'yes', ut }],
    statuses,
    incidents,
    standingsTypes,
  };
}

/** A competition or a stage: its ids, when it was written (Unix seconds), and its record with the nested records. */
type ListedNode = TreeStage & {
  readonly area_id: number;
  readonly ut: number;
};

/** Returns the competition and stages of a data set, written at `ut`, Unix seconds. `lookup` returns records without nested ones. */
export function createTree(
  dataset: Dataset,
  ut: number,
): {
  readonly competition: ListedNode;
  readonly stages: readonly ListedNode[];
  readonly lookup: NodeLookup;
} {
  const { competition, season, area } = dataset.competition;
  const records = new Map<string, string>();
  const keep = <R extends { readonly id: unknown }>(level: TreeLevel, record: R): string => {
    const text = JSON.stringify(record);
    records.set(`${level}/${record.id}`, text);
    return text;
  };
  const within = { competition_id: competition.id, season_id: season.id, area_id: area.id, ut };
  const stages = dataset.competition.stages.map((stage): ListedNode => {
    const groups = stage.groups.map(({ id, name }) =>
      keep('group', { id, name, ut } satisfies RestRecord<'group'>),
    );
    return { ...within, text: withList(keep('stage', stageRecord(dataset, stage, ut)), 'groups', groups) };
  });
  const stageTexts = stages.map(({ text }) => text);
  const seasonText = withList(keep('season', seasonRecord(dataset, ut)), 'stages', stageTexts);
  const text = withList(keep('competition', competitionRecord(dataset, ut)), 'seasons', [seasonText]);
  return {
    competition: { ...within, text },
    stages,
    lookup: (level, id) => records.get(`${level}/${id}`) ?? null,
  };
}

function competitionRecord({ competition: { competition, area, stages } }: Dataset, ut: number) {
  return {
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
  } satisfies RestRecord<'competition'>;
}

function seasonRecord({ competition: { season } }: Dataset, ut: number) {
  const year = season.name.split(' ').at(-1) ?? '';
  return {
    id: season.id,
    name: season.name,
    year,
    actual: 'yes',
    range_level: 1,
    stats_lvl: 'bronze',
    ut,
  } satisfies RestRecord<'season'>;
}

function stageRecord(
  { competition, matches }: Dataset,
  { id, name, knockout, groups }: Dataset['competition']['stages'][number],
  ut: number,
) {
  const dates = matches.filter(({ stage }) => stage === id).map(({ date }) => date.slice(0, 10));
  return {
    id,
    name,
    start_date: dates[0] ?? null,
    end_date: dates.at(-1) ?? null,
    // The simulator has no tables.
    show_standings: 'no',
    has_brackets: knockout ? 'yes' : 'no',
    groups_nr: groups.length,
    sort: competition.stages.findIndex((stage) => stage.id === id) + 1,
    ut,
  } satisfies RestRecord<'stage'>;
}
