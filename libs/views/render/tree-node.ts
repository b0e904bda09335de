/** Renders competitions, seasons, stages and groups as the contract shows them from the catalogue's records. Pure. */

import { type TreeLevel, UNKNOWN_NODE } from '#contract/rest/tree.ts';
import { text } from '#domain/values.ts';
import { type JsonObject, toWholeNumber } from '#json/values.ts';
import { SOCCER } from '#soccer/soccer.ts';
import type { Views } from '../store/views.ts';
import { slugOf } from './fields.ts';

/** Fields that the provider itself writes as null. */
const NULLABLE: ReadonlySet<string> = new Set(['stage_name_id', 'team_connection']);
/** Names of sports that need no catalogue. */
const SPORT_NAMES: ReadonlyMap<number, string> = new Map([[SOCCER, 'Soccer']]);
/** Fields with whole numbers that the provider writes as text in some lists. */
const NUMBERS = ['area_id', 'area_sort', 'overall_sort', 'sport_id', 'tour_id', 'ut'];

/**
 * Returns the record of a node with every field of its level; a field that was not reported has the provider's empty
 * value. `ut`: the time of the catalogue's record, Unix seconds.
 */
function renderNode(
  level: TreeLevel,
  id: number,
  record: JsonObject,
  ut: number,
  sport: JsonObject,
): JsonObject {
  const name = text(record.name) ?? '';
  const reported = Object.entries(record).filter(([field, value]) => value !== null || NULLABLE.has(field));
  const node = {
    ...UNKNOWN_NODE[level],
    ...(level === 'competition' ? { ...sport, slug: name === '' ? '' : slugOf(name, id) } : {}),
    ...Object.fromEntries(reported),
    id,
    name,
    ut: toWholeNumber(record.ut) ?? ut,
  };
  if (level !== 'competition') return node;
  const numbers = NUMBERS.flatMap((field) => {
    const number = toWholeNumber(record[field]);
    return number === null ? [] : [[field, number] as const];
  });
  return { ...node, ...Object.fromEntries(numbers) };
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
    const entry = catalogue.find(level, id);
    const sport = level === 'competition' ? sportOf(id) : {};
    return JSON.stringify(renderNode(level, id, entry?.record ?? {}, entry?.ut ?? 0, sport));
  };
}
