/** The catalogues: they do not change while matches are played. */
import { INCIDENT_TYPES_OF_SOCCER } from '#contract/incident-types.ts';
import { SOCCER, STATUSES_OF_SOCCER } from '#contract/soccer.ts';
import { TABLE_TYPES } from '#domain/standings/columns.ts';
import type { Dataset } from '../../../data/dataset.ts';

const yesNo = (flag: boolean | null): 'yes' | 'no' => (flag ? 'yes' : 'no');

/** A name as it stands in addresses. */
function slug(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

/** The records of the catalogues, all written at `ut`, Unix seconds. */
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
    code: slug(type.name),
    important: yesNo(type.important),
    important_for_trader: yesNo(type.importantForTrader),
    sport_id: SOCCER,
    type: type.type ?? 'team',
    for: type.for ?? 'own',
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
