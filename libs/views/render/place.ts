/** Competitions, seasons, stages and groups as the contract shows them, out of the catalogue's records. Pure. */

import { type TreeLevel, UNKNOWN_PLACE } from '#contract/rest/tree.ts';
import { SOCCER } from '#contract/soccer.ts';
import { type JsonObject, toWholeNumber } from '#contract/values.ts';
import { fold } from '#domain/fold.ts';
import type { Views } from '../store/views.ts';

/** Fields that a provider writes as null itself. */
const NULLABLE: ReadonlySet<string> = new Set(['stage_name_id', 'team_connection']);
/** Sports that are known without the catalogue. */
const SPORT_NAMES: ReadonlyMap<number, string> = new Map([[SOCCER, 'Soccer']]);
/** Whole numbers that a provider writes as text in some lists. */
const NUMBERS = ['area_id', 'area_sort', 'overall_sort', 'sport_id', 'tour_id', 'ut'];

/**
 * The record of a place with every field of its level: what was not reported is what the provider writes where it knows
 * nothing. `ut`: when the catalogue's record was written, Unix seconds.
 */
function renderPlace(
  level: TreeLevel,
  id: number,
  record: JsonObject,
  ut: number,
  sport: JsonObject,
): JsonObject {
  const name = typeof record.name === 'string' ? record.name : '';
  const reported = Object.entries(record).filter(([field, value]) => value !== null || NULLABLE.has(field));
  const place = {
    ...UNKNOWN_PLACE[level],
    ...(level === 'competition' ? { ...sport, slug: name === '' ? '' : slugOf(name, id) } : {}),
    ...Object.fromEntries(reported),
    id,
    name,
    ut: toWholeNumber(record.ut) ?? ut,
  };
  if (level !== 'competition') return place;
  const numbers = NUMBERS.flatMap((field) => {
    const number = toWholeNumber(record[field]);
    return number === null ? [] : [[field, number] as const];
  });
  return { ...place, ...Object.fromEntries(numbers) };
}

/** Gives the records of places as text: the provider's, or what the events in a place say of it. */
export function placeLookup({
  catalogue,
  places,
}: Pick<Views, 'catalogue' | 'places'>): (level: TreeLevel, id: number) => string {
  const sportOf = (id: number): JsonObject => {
    const sport_id = places.sportOf(id);
    if (sport_id === null) return {};
    return { sport_id, sport_name: catalogue.name('sport', sport_id) ?? SPORT_NAMES.get(sport_id) ?? '' };
  };
  return (level, id) => {
    const entry = catalogue.find(level, id);
    const sport = level === 'competition' ? sportOf(id) : {};
    return JSON.stringify(renderPlace(level, id, entry?.record ?? {}, entry?.ut ?? 0, sport));
  };
}

/** `Manchester United` with id 136195 as `manchester-united,136195`, as providers write it. */
export function slugOf(name: string, id: number): string {
  return `${words(name)},${id}`;
}

/** That of an event: its sides stand apart, as in `sivasspor_trabzonspor,3108995`. */
export function eventSlug(name: string, id: number): string {
  return `${name.split(' - ').map(words).join('_')},${id}`;
}

function words(name: string): string {
  return fold(name).replaceAll(' ', '-');
}
