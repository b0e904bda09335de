/** Answers with tables: names are added, as a derived table has only the ids of its season, stage and groups (docs/reference/standings.md). */
import type { ProviderData } from '#contract/rest/provider.ts';
import { TABLE_TYPES } from '#domain/standings/columns.ts';
import type { ComparedGroup } from '#domain/standings/provider-league.ts';
import { writeRecord } from '#json/records.ts';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { SOCCER } from '#soccer/soccer.ts';
import { notFound, requireAccess, since } from '../../queries/access.ts';
import type { Views } from '../../store/views.ts';
import { recordsOf, slugOf } from '../fields.ts';
import { answerCache, listData } from './lists.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Types of ranked objects that have a name in the catalogue. */
const NAMED_OBJECTS: ReadonlySet<CatalogueRecord['kind']> = new Set([
  'sport',
  'competition',
  'season',
  'stage',
]);

export function standingsData(views: Views): Pick<ProviderData, 'standingsList' | 'standings'> {
  const { standings: tables, tree } = views;
  const cache = answerCache(MAX_BYTES);
  return {
    standingsList(query, access) {
      const { object_type: kind, object_id: id } = query;
      if (id !== undefined && (kind === 'season' || kind === 'stage'))
        requireAccess(access, tree.competitionOf(kind, id));
      else if (kind === 'competition') requireAccess(access, id ?? null);
      const { total, items } = tables.page(query, since(query.timestamp), access.competitions);
      const entries = items.map((item) => {
        const entry: JsonObject = JSON.parse(item.entry);
        // A client compares it with the `timestamp` that it sent: a table may become visible here long after it was written.
        const ut = Math.max(Number(entry.ut), item.changed);
        return JSON.stringify(nameEntry({ ...entry, ut }, namesOf(views, entry)));
      });
      return { data: listData('standings_list', entries), total };
    },
    standings(id, access) {
      const table = tables.find(id);
      if (table === undefined) throw notFound(access);
      const { record, competition_id, season_id } = table;
      requireAccess(access, competition_id);
      const leagues = season_id === null ? [] : views.leagues.compared(season_id);
      const compared = leagues.filter(({ standings_id }) => standings_id === id);
      // Rendered again when the table, a name or the provider's table has changed.
      const version = `${views.nameVersion} ${JSON.stringify([compared, record])}`;
      return cache.get(String(id), version, () => ({
        data: JSON.stringify({ standings: nameTable(record, namesOf(views, record), compared) }),
        total: 1,
      }));
    },
  };
}

/** The names around a table; null where unknown. */
export type TableNames = ReturnType<typeof namesOf>;

function namesOf({ catalogue }: Views, table: JsonObject) {
  const { object_type, object_id, competition_id, season_id } = table;
  const id = toWholeNumber(object_id);
  const kind = String(object_type) as CatalogueRecord['kind'];
  const competition = catalogue.find('competition', toWholeNumber(competition_id))?.competition;
  const { area_name: area = null, area_id: areaId = null, area_type } = competition ?? {};
  return {
    area,
    /** The area of all its teams; null if they come from several, as in an international cup. */
    teamArea: area_type === 'country' && areaId !== null ? { id: areaId, name: area ?? '' } : null,
    season: catalogue.name('season', toWholeNumber(season_id)),
    // Two tables of a season differ by it, also where the catalogue does not know the stage.
    stage: kind === 'stage' ? (catalogue.name('stage', id) ?? String(id)) : null,
    /** Name of the ranked object, such as a season. */
    object: NAMED_OBJECTS.has(kind) ? catalogue.name(kind, id) : null,
    /** Returns the name of a group, and the time it was written, Unix seconds. */
    group(group: number) {
      const { name = null, ut = 0 } = catalogue.find('group', group) ?? {};
      return name === null ? null : { name, ut };
    },
  };
}

/** Names of columns by id and code: two columns may have the same code. */
const COLUMN_NAMES: ReadonlyMap<string, string> = new Map(
  [...TABLE_TYPES.values()].flatMap(({ columns }) =>
    columns.map(({ id, code, name }) => [`${id ?? 0} ${code}`, name] as const),
  ),
);

/** Adds the missing names to an entry of the catalogue of standings (spec, "Standings catalogue"). */
export function nameEntry(entry: JsonObject, { area, season, stage, object }: TableNames): JsonObject {
  const { name, type_name } = entry;
  // As the provider does: `League standings - Europe, Champions League 2017/18, stage: Group Stage`.
  const where = [area, season, stage && `stage: ${stage}`].filter(Boolean).join(', ');
  return {
    ...entry,
    name: name === type_name && where !== '' ? `${type_name} - ${where}` : name,
    object_name: entry.object_name || (object ?? ''),
    ...(entry.sport_id === SOCCER ? { sport_name: 'Soccer' } : {}),
  };
}

/**
 * Adds the missing names to a table (spec, "Standing"), derived or the provider's, in the contract's form: ids of groups as
 * text, missing lists as empty ones, unknown values as the provider writes them. `compared`: its groups beside the provider's.
 */
export function nameTable(
  table: JsonObject,
  names: TableNames,
  compared: readonly ComparedGroup[] = [],
): JsonObject {
  return {
    columns: [],
    ...nameEntry(table, names),
    // 0 where there is none, as for a ranking of a sport.
    competition_id: table.competition_id ?? 0,
    season_id: table.season_id ?? 0,
    stage_id: table.stage_id ?? 0,
    groups: recordsOf(table.groups).map((group) => nameGroup(group, table, names, compared)),
  };
}

function nameGroup(
  group: JsonObject,
  table: JsonObject,
  names: TableNames,
  compared: readonly ComparedGroup[],
): JsonObject {
  const id = toWholeNumber(group.id);
  const known = id === null ? null : names.group(id);
  // The provider's own table of these teams, where it was read.
  const own = compared.find((one) => one.group === String(group.id ?? ''));
  return {
    zones: [],
    corrections: [],
    ...group,
    id: String(group.id ?? ''),
    name: group.name || (known?.name ?? ''),
    ut: group.ut ?? known?.ut ?? table.ut ?? 0,
    participants: recordsOf(group.participants).map((row) => nameRow(row, names)),
    ...(own && { provider: { corrections: own.corrections.map(writeRecord), differences: own.differences } }),
  };
}

/** Adds the missing fields to a row. Without a previous rank, the rank itself is the previous one. */
function nameRow(row: JsonObject, { teamArea }: TableNames): JsonObject {
  const name = String(row.name ?? '');
  const club = String(row.subparticipant_name ?? '');
  return {
    ...row,
    name,
    participant_acronym: row.participant_acronym ?? '',
    participant_slug: row.participant_slug ?? slugOf(name, Number(row.id)),
    area_id: row.area_id ?? teamArea?.id ?? 0,
    area_name: row.area_name ?? teamArea?.name ?? '',
    last_rank: row.last_rank ?? row.rank,
    subparticipant_id: row.subparticipant_id ?? '',
    subparticipant_name: club,
    subparticipant_slug:
      row.subparticipant_slug ?? (club === '' ? '' : slugOf(club, Number(row.subparticipant_id))),
    columns: recordsOf(row.columns).map((cell) => ({
      ...cell,
      name: cell.name ?? COLUMN_NAMES.get(`${cell.id} ${cell.code}`) ?? cell.short_name,
    })),
  };
}
