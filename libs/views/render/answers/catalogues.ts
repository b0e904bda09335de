/** Answers of the reference catalogues: built-in records of soccer, overridden by the provider's catalogues. */

import { RestError } from '#contract/rest/errors.ts';
import type { CatalogueQuery, ProviderData, RestAnswer } from '#contract/rest/provider.ts';
import { pageOf } from '#contract/rest/tree.ts';
import { TABLE_TYPES } from '#domain/standings/columns.ts';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { INCIDENT_TYPES_OF_SOCCER } from '#soccer/incident-types.ts';
import { SOCCER, STATUSES_OF_SOCCER } from '#soccer/soccer.ts';
import { STATUSES } from '#soccer/statuses.ts';
import * as facts from '../../facts/facts.ts';
import { since } from '../../queries/access.ts';
import type { CatalogueEntry } from '../../store/catalogue.ts';
import type { Views } from '../../store/views.ts';
import { catalogueObject, recordsOf } from '../fields.ts';
import { listData } from './lists.ts';

type Entry = { readonly id: number; readonly changed: number; readonly record: JsonObject };

/** Time of the built-in records, Unix seconds: publication of the provider's catalogues, 2019-09-22. */
const BUILT_IN_AT = 1_569_110_400;

const yesNo = (flag: boolean | null): 'yes' | 'no' => (flag === true ? 'yes' : 'no');

const SPORTS: readonly JsonObject[] = [
  { id: SOCCER, name: 'Soccer', url: 'soccer', active: 'yes', has_timer: 'yes' },
];

const STATUS_RECORDS: readonly JsonObject[] = [...STATUSES.values()].map(
  ({ id, name, shortName: short_name, type }) => ({ id, name, short_name, type }),
);

const INCIDENT_TYPES: readonly JsonObject[] = [...INCIDENT_TYPES_OF_SOCCER.values()].map((type) => ({
  id: type.id,
  name: type.name,
  important: yesNo(type.important),
  important_for_trader: yesNo(type.importantForTrader),
  sport_id: SOCCER,
  type: type.type,
  for: type.for,
  game_break: yesNo(type.gameBreak),
}));

/** Columns of the rankings that only the provider publishes. */
const RANKING_COLUMNS = [
  { id: 8, code: 'pts', short_name: 'Pts', name: 'Points' },
  { id: 195, code: 'manual_rank', short_name: 'MR', name: 'Manual rank' },
];

const STANDINGS_TYPES: readonly JsonObject[] = [
  ...TABLE_TYPES.values(),
  { type_id: 9, type_name: 'FIFA ranking', columns: RANKING_COLUMNS },
  { type_id: 11, type_name: 'FIFA club ranking', columns: RANKING_COLUMNS },
].map(({ type_id, type_name, columns }) => ({
  // An unknown id is 0 here and in the tables; columns are found by code.
  type_id: type_id ?? 0,
  type_name,
  id: type_id ?? 0,
  name: type_name,
  sport_id: SOCCER,
  columns: columns.map((column) => ({ ...column, id: column.id ?? 0 })),
}));

const AREA_RECORDS: readonly JsonObject[] = facts.AREAS.map(([id, code, name]) => {
  return { id, area_code: code ?? '', name, parent_area_id: '' };
});
const LANGUAGE_RECORDS: readonly JsonObject[] = facts.LANGUAGES.map(([id, code, name, original_name]) => {
  return { id, code, name, original_name, active: yesNo(!facts.INACTIVE_LANGUAGES.has(id)) };
});

/** The provider's empty values, for what a record does not say. */
const EMPTY: Readonly<Partial<Record<CatalogueRecord['kind'], JsonObject>>> = {
  sport: { url: '', active: 'no', has_timer: 'no' },
  area: { area_code: '', parent_area_id: '' },
  incident: { game_break: 'no', important: 'no', important_for_trader: 'no' },
  standings_type: { columns: [] },
};

export function catalogueData(views: Views) {
  const { catalogue } = views;
  const entries = (
    kind: CatalogueRecord['kind'],
    base: readonly JsonObject[],
    isOf: (entry: CatalogueEntry) => boolean = () => true,
  ): Entry[] => {
    const builtIn = (record: JsonObject) => ({
      changed: BUILT_IN_AT,
      record: { ...record, ut: BUILT_IN_AT },
    });
    const merged = new Map<number, Omit<Entry, 'id'>>(base.map((one) => [Number(one.id), builtIn(one)]));
    for (const entry of catalogue.list(kind)) {
      const number = toWholeNumber(entry.id);
      if (number === null || !isOf(entry)) continue;
      // A record may become visible here long after it was written; a client compares its `ut` with the `timestamp` that it sent.
      const ut = Math.max(entry.ut, entry.changed);
      const known = merged.get(number)?.record ?? { name: '', ...EMPTY[kind] };
      const record = { ...known, ...catalogueObject(entry), id: number, ut };
      merged.set(number, { changed: entry.changed, record });
    }
    return [...merged].map(([id, entry]) => ({ ...entry, id })).sort((a, b) => a.id - b.id);
  };
  // Sports share ids of types: the same id is another type in another sport.
  const standingsTypes = (sportId: number) =>
    entries(
      'standings_type',
      sportId === SOCCER ? STANDINGS_TYPES : [],
      ({ standings_type, parent_id }) =>
        (standings_type?.sport_id ?? toWholeNumber(parent_id) ?? SOCCER) === sportId,
    ).map(({ record, ...entry }) => ({
      ...entry,
      // The names of the spec, `type_id` and `type_name`, and those that the provider answers.
      record: { ...record, type_id: entry.id, type_name: record.name, sport_id: sportId },
    }));
  /** Status records do not name their sport; only soccer's ids are known. */
  const statuses = (sportId: number | undefined) =>
    entries('status', STATUS_RECORDS).filter(
      ({ id }) => sportId === undefined || (sportId === SOCCER && STATUSES_OF_SOCCER.has(id)),
    );
  const incidentTypes = (sportId: number | undefined) =>
    entries('incident', INCIDENT_TYPES).filter(
      ({ record }) => sportId === undefined || record.sport_id === sportId,
    );

  return {
    sports: (query) => answer('sports', entries('sport', SPORTS), query),
    sport(id) {
      const found = entries('sport', SPORTS).find((entry) => entry.id === id);
      if (found === undefined) throw new RestError('NOT_FOUND');
      const soccer = id === SOCCER;
      const sport = {
        ...found.record,
        statuses: statuses(id).map(({ record }) => record),
        // Those of another sport are known only from its record.
        results: soccer ? kinds(facts.RESULT_NAMES) : recordsOf(found.record.results),
        stats: soccer
          ? { team: kinds(facts.STAT_NAMES), person: [] }
          : (found.record.stats ?? { team: [], person: [] }),
        details: soccer
          ? Array.from(facts.DETAIL_NAMES, ([id, name]) => ({ id, name }))
          : recordsOf(found.record.details),
        incidents: incidentTypes(id).map(({ record }) => record),
        standings_types: standingsTypes(id).map(({ record }) => record),
        venues_details: [],
      };
      return { data: JSON.stringify({ sport }), total: 1 };
    },
    areas: (query) => answer('areas', entries('area', AREA_RECORDS), query),
    languages: (query) => answer('languages', entries('language', LANGUAGE_RECORDS), query),
    statuses: (query) => answer('statuses', statuses(query.sport_id), query),
    incidentTypes: (query) => answer('incidents', incidentTypes(query.sport_id), query),
    standingsTypes: (query) => answer('standings_types', standingsTypes(query.sport_id ?? SOCCER), query),
  } satisfies Partial<ProviderData>;
}

/** Returns the page of entries that changed since the `timestamp` of the query. */
function answer(name: string, all: readonly Entry[], query: CatalogueQuery): RestAnswer {
  const from = since(query.timestamp) ?? Number.NEGATIVE_INFINITY;
  const wanted = all.filter(({ changed }) => changed >= from);
  const items = pageOf(wanted, query).map(({ record }) => JSON.stringify(record));
  return { data: listData(name, items), total: wanted.length };
}

function kinds(names: ReadonlyMap<number, string>): JsonObject[] {
  return Array.from(names, ([id, name]) => ({ id, short_name: name, name }));
}
