/** Renders competitions, seasons, stages and groups as the contract shows them from the catalogue's records. Pure. */

import { type TreeLevel, UNKNOWN_NODE } from '#contract/rest/tree.ts';
import type { JsonObject } from '#json/values.ts';
import type { CatalogueRecord } from '#records/types.ts';
import { SOCCER } from '#soccer/soccer.ts';
import type { Views } from '../store/views.ts';
import { catalogueObject, slugOf } from './fields.ts';

/** Names of sports that need no catalogue. */
const SPORT_NAMES: ReadonlyMap<number, string> = new Map([[SOCCER, 'Soccer']]);
/** Returns the record of a node with every field of its level; a field that was not reported has the provider's empty value. */
function renderNode(
  level: TreeLevel,
  id: number,
  entry: CatalogueRecord | null,
  sport: JsonObject,
): JsonObject {
  const name = entry?.name ?? '';
  const reported = Object.entries(entry === null ? {} : catalogueObject(entry));
  return {
    ...UNKNOWN_NODE[level],
    ...(level === 'competition' ? { ...sport, slug: name === '' ? '' : slugOf(name, id) } : {}),
    ...Object.fromEntries(reported.filter(([, value]) => value !== null)),
    id,
    name,
    ut: entry?.ut ?? 0,
  };
}

/** Returns a lookup of nodes as JSON text, from the provider's record or else from the events below the node. */
export function nodeLookup({
  catalogue,
  tree,
}: Pick<Views, 'catalogue' | 'tree'>): (level: TreeLevel, id: number) => string {
  const sportOf = (id: number): JsonObject => {
    const sport_id = tree.sportOf(id);
    if (sport_id === null) return {};
    return { sport_id, sport_name: catalogue.name('sport', sport_id) ?? SPORT_NAMES.get(sport_id) ?? '' };
  };
  return (level, id) => {
    const sport = level === 'competition' ? sportOf(id) : {};
    return JSON.stringify(renderNode(level, id, catalogue.find(level, id), sport));
  };
}
