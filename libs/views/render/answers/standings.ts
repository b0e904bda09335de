import type { ProviderData } from '#contract/rest/provider.ts';
import type { ComparedGroup } from '#domain/standings/provider-league.ts';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import type { CatalogueKind } from '#records/types.ts';
import { notFound, requireAccess, since } from '../../queries/access.ts';
import type { Views } from '../../store/views.ts';
import { nameEntry, nameTable, type TableNames } from '../standings.ts';
import { AnswerCache, listData } from './lists.ts';

const MAX_BYTES = 16 * 1024 * 1024;
/** Types of ranked objects that have a name in the catalogue. */
const NAMED_OBJECTS: ReadonlySet<CatalogueKind> = new Set(['sport', 'competition', 'season', 'stage']);

export function standingsData(views: Views): Pick<ProviderData, 'standingsList' | 'standings'> {
  const { standings: tables, catalogue, tree } = views;
  const cache = new AnswerCache(MAX_BYTES);
  const namesOf = ({ object_type, object_id, competition_id, season_id }: JsonObject): TableNames => {
    const id = toWholeNumber(object_id);
    const competition = catalogue.find('competition', toWholeNumber(competition_id))?.competition;
    const kind = String(object_type) as CatalogueKind;
    const area = competition?.area_name ?? null;
    const areaId = competition?.area_id ?? null;
    const isOfOneArea = competition?.area_type === 'country' && areaId !== null;
    return {
      area,
      teamArea: isOfOneArea ? { id: areaId, name: area ?? '' } : null,
      season: catalogue.name('season', toWholeNumber(season_id)),
      // Two tables of a season differ by it, also where the catalogue does not know the stage.
      stage: kind === 'stage' ? (catalogue.name('stage', id) ?? String(id)) : null,
      object: NAMED_OBJECTS.has(kind) ? catalogue.name(kind, id) : null,
      group(group) {
        const entry = catalogue.find('group', group);
        return entry?.name == null ? null : { name: entry.name, ut: entry.ut };
      },
    };
  };

  return {
    standingsList(query, access) {
      const { object_type: kind, object_id: id } = query;
      if (id !== undefined && (kind === 'season' || kind === 'stage')) {
        requireAccess(access, tree.competitionOf(kind, id));
      } else if (kind === 'competition') requireAccess(access, id ?? null);
      const { total, items } = tables.page(query, since(query.timestamp), access.competitions);
      const entries = items.map((item) => {
        const entry: JsonObject = JSON.parse(item.entry);
        // A client compares it with the `timestamp` that it sent: a table may become visible here long after it was written.
        const ut = Math.max(Number(entry.ut), item.changed);
        return JSON.stringify(nameEntry({ ...entry, ut }, namesOf(entry)));
      });
      return { data: listData('standings_list', entries), total };
    },
    standings(id, access) {
      const table = tables.find(id);
      if (table === undefined) throw notFound(access);
      requireAccess(access, table.competition_id);
      const compared = comparedWith(views, id, table.season_id);
      // Rendered again when the table, a name or the provider's table has changed.
      const { record } = table;
      const version = `${views.nameVersion} ${JSON.stringify([compared, record])}`;
      return cache.get(String(id), version, () => ({
        data: JSON.stringify({ standings: nameTable(record, namesOf(record), compared) }),
        total: 1,
      }));
    },
  };
}

/** Returns the groups of a table beside those of the provider's league table; none of a table that is no league table. */
function comparedWith({ leagues }: Views, id: number, seasonId: number | null): ComparedGroup[] {
  if (seasonId === null) return [];
  return leagues.compared(seasonId).filter(({ standings_id }) => standings_id === id);
}
