/** Reads and writes values of a provider's record. */

import { foldName } from '#domain/name-search.ts';
import type { JsonObject } from '#json/values.ts';

/** Returns the objects of a list; none if it is anything else. */
export function recordsOf(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'object' && item !== null) : [];
}

/** Returns a slug as providers write it: `Manchester United` with id 136195 is `manchester-united,136195`. */
export function slugOf(name: string, id: number): string {
  return `${slugWords(name)},${id}`;
}

/** Returns the slug of an event, with an underscore between its sides: `sivasspor_trabzonspor,3108995`. */
export function eventSlug(name: string, id: number): string {
  return `${name.split(' - ').map(slugWords).join('_')},${id}`;
}

/** Returns a name as it appears in URLs: `manchester-united`. */
export function slugWords(name: string): string {
  return foldName(name).replaceAll(' ', '-');
}
