/**
 * Languages and areas, and what soccer's results, statistics and details are called: ids and names of the provider's own
 * published catalogues (its PHP client's fixtures of 2019, MIT licence).
 */
import places from './places.json' with { type: 'json' };
import values from './soccer-values.json' with { type: 'json' };

/** id, code, name, own name. */
export const LANGUAGES = places.languages as unknown as readonly (readonly [
  number,
  string,
  string,
  string,
])[];

/** Languages that are not in use. */
export const INACTIVE_LANGUAGES: ReadonlySet<number> = new Set(places.inactive_languages);

/** id, code, name; few are shown, the rest come with the catalogue. */
export const AREAS = places.areas as unknown as readonly (readonly [number, string | null, string])[];

type Names = ReadonlyMap<number, string>;
const namesOf = (rows: unknown): Names => new Map(rows as readonly (readonly [number, string])[]);

export const RESULT_NAMES = namesOf(values.results);

export const STAT_NAMES = namesOf(values.stats);

export const DETAIL_NAMES = namesOf(values.details);
