import { RestError } from '#contract/rest/errors.ts';
import type { ProviderData } from '#contract/rest/provider.ts';
import type { TableView } from '../views/tables.ts';
import { listData, requireAccess } from './lists.ts';
import type { Places } from './places.ts';

/** Answers from the tables as they stand. */
export function standingsData(
  tables: TableView,
  places: Places,
): Pick<ProviderData, 'standingsList' | 'standings'> {
  return {
    standingsList(query, access) {
      const { objectType, objectId } = query;
      if (objectId !== null && (objectType === 'season' || objectType === 'stage')) {
        requireAccess(access, places.competitionOf(objectType, objectId));
      } else if (objectType === 'competition') requireAccess(access, objectId);
      const { total, items } = tables.page(query, access.competitions);
      return { data: listData('standings_list', items), total };
    },
    standings(id, access) {
      const table = tables.find(id);
      if (table === undefined) throw new RestError('not_found');
      requireAccess(access, table.competition_id);
      return { data: `{"standings":${table.json}}`, total: 1 };
    },
  };
}
