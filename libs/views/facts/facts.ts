/** Languages, areas, and names of soccer's results, statistics and details, of the provider's published catalogues (its PHP client of 2019, MIT). */
import facts from './areas-and-languages.json' with { type: 'json' };
import values from './soccer-values.json' with { type: 'json' };

/** Rows of id, code, English name and native name. */
export const LANGUAGES = facts.languages as unknown as readonly (readonly [number, string, string, string])[];

/** Ids of the languages that are not in use. */
export const INACTIVE_LANGUAGES: ReadonlySet<number> = new Set(facts.inactive_languages);

/** Rows of id, code and name. Only a few areas: the provider's catalogue adds the others. */
export const AREAS = facts.areas as unknown as readonly (readonly [number, string | null, string])[];

const namesOf = (rows: unknown): ReadonlyMap<number, string> =>
  new Map(rows as readonly (readonly [number, string])[]);

export const RESULT_NAMES = namesOf(values.results);
export const STAT_NAMES = namesOf(values.stats);
export const DETAIL_NAMES = namesOf(values.details);
