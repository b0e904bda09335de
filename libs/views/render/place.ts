/** Competitions, seasons, stages and groups as the contract shows them, out of the catalogue's records. Pure. */
import type { Level, PlaceLookup } from '#contract/rest/tree.ts';
import { toWholeNumber } from '#contract/values.ts';
import type { CatalogueView } from '../store/catalogue.ts';
import { slugOf } from './slug.ts';

type Json = Readonly<Record<string, unknown>>;

/** Fields that a provider writes as null itself. */
const NULLABLE: ReadonlySet<string> = new Set(['stage_name_id', 'team_connection']);
/** Whole numbers that a provider writes as text in some lists. */
const NUMBERS = ['area_id', 'area_sort', 'overall_sort', 'sport_id', 'tour_id', 'ut'];

/**
 * The record of a place with what the provider writes where it knows nothing: a competition of no tour is of tour 0.
 * Unknown fields are left out. `ut`: when the catalogue's record was written, Unix seconds.
 */
function renderPlace(level: Level, id: number, record: Json, ut: number): Json {
  const name = typeof record.name === 'string' ? record.name : '';
  const reported = Object.entries(record).filter(([field, value]) => value !== null || NULLABLE.has(field));
  const place = { ...Object.fromEntries(reported), id, name, ut: toWholeNumber(record.ut) ?? ut };
  if (level !== 'competition') return place;
  const numbers = NUMBERS.flatMap((field) => {
    const number = toWholeNumber(record[field]);
    return number === null ? [] : [[field, number] as const];
  });
  return {
    ...{ tour_id: 0, tour_name: '', ...(name === '' ? {} : { slug: slugOf(name, id) }) },
    ...place,
    ...Object.fromEntries(numbers),
  };
}

/** Gives the provider's records of places as text, null for a place that the catalogue does not have. */
export function placeLookup(catalogue: CatalogueView): PlaceLookup {
  return (level, id) => {
    const entry = catalogue.find(level, id);
    return entry === null ? null : JSON.stringify(renderPlace(level, id, entry.record, entry.ut));
  };
}
